// SPDX-License-Identifier: BSD-3-Clause
//
// Reads documents that other people may have written: reports, baselines, profiles, waivers. Nothing is
// trusted: the kind of file, its size and its shape are checked before a value is used. A refusal is one
// clear line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

#include "conformance/report/schemas.h"

namespace conformance {

// What a document may be. A report of the whole suite stays far below each of them.
constexpr size_t kMostBytes = size_t{256} << 20;
constexpr size_t kMostJournalBytes = size_t{1} << 30;  // of files with a line for each point
constexpr size_t kMostDepth = 32;                      // lists and objects within each other
constexpr size_t kMostValues = 4000000;  // each takes memory, and two bytes are enough to write one
constexpr size_t kMostMembers = 1000;    // of one object

// The document is refused; what() is one line with the place in the document, without the file's name.
class DocumentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a file should hold, for the line that refuses it: "FILE is not a WHAT: WHY; HINT".
struct Expected {
  std::string_view what;         // "report"
  std::string_view schema = {};  // kReportSchema; empty: none
  std::string_view hint;         // "name another folder with --report"
  size_t most_bytes = kMostBytes;
  bool links = true;   // symbolic links are followed
  bool pipes = false;  // a pipe is read too, as of --key <(command)
};

// The whole of a regular file. Devices, and pipes unless expected, are refused without being opened, because
// opening some has an effect. Throws SetupError.
std::string read_file(const std::filesystem::path& file, const Expected& expected);

// JSON in UTF-8, within the limits above, no key twice in an object, and valid by the published schema, if
// one is given. Throws DocumentError.
nlohmann::ordered_json parse_document(std::string_view bytes, std::string_view schema = {});

// read_file() and parse_document(). Throws SetupError.
nlohmann::ordered_json read_document(const std::filesystem::path& file, const Expected& expected);

// Throws SetupError, "FILE is not a WHAT: WHY; HINT".
[[noreturn]] void refuse_document(const std::filesystem::path& file, const Expected& expected,
                                  std::string_view why);

// JSON Lines, up to the first line that is cut off or damaged: a run may have been killed while it wrote.
// Returns whether all were read. Throws DocumentError for a line that is an object, but breaks the schema.
bool for_each_line(std::string_view bytes, const LineSchema& lines,
                   const std::function<void(const nlohmann::ordered_json&)>& take);

// Whether there is no entry of this name, not even a dangling link or a file without permission.
bool is_absent(const std::filesystem::path& file);

// The text with U+FFFD instead of bytes that are not UTF-8.
std::string as_utf8(std::string_view text);

// Foreign text for one line of a terminal: control characters, line separators and changes of the writing
// direction become \xNN; text beyond `most` bytes is cut.
std::string as_one_line(std::string_view text, size_t most = SIZE_MAX);

}  // namespace conformance
