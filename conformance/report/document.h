// SPDX-License-Identifier: BSD-3-Clause
//
// Reads documents that somebody else may have written: reports, baselines, profiles, waivers. Nothing in them
// is trusted: neither what kind of file it is, nor its size, nor its shape. Whatever is refused is refused
// with one clear line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace conformance {

// What a document may be. A report of the whole suite stays far below each of them.
constexpr size_t kMostBytes = size_t{256} << 20;
constexpr size_t kMostJournalBytes = size_t{1} << 30;  // of files with a line for each point
constexpr size_t kMostDepth = 32;                      // lists and objects within each other
constexpr size_t kMostValues = 4000000;  // each takes memory, and two bytes are enough to write one
constexpr size_t kMostMembers = 1000;    // of one object

// The document is not what it should be; what() is one line that names the place, not the file.
class DocumentError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a file should hold, for the line that refuses it: "FILE is no report: WHY; HINT".
struct Expected {
  std::string_view what;         // "report"
  std::string_view schema = {};  // "rpma-conformance/1"; empty: none
  std::string_view hint;       // "name another folder with --report"
  size_t most_bytes = kMostBytes;
  bool links = true;  // a link may stand for the file
};

// The whole of a regular file. Pipes and devices are refused and not even opened, since opening some has an
// effect. Throws SetupError.
std::string read_file(const std::filesystem::path& file, const Expected& expected);

// JSON in UTF-8, within the limits above, no key twice in an object, and of the schema, if one is given.
// Throws DocumentError.
nlohmann::ordered_json parse_document(std::string_view bytes, std::string_view schema = {});

// Both of them. Throws SetupError.
nlohmann::ordered_json read_document(const std::filesystem::path& file, const Expected& expected);

// Throws SetupError, "FILE is no WHAT: WHY; HINT": for what is wrong with a document that was read.
[[noreturn]] void refuse_document(const std::filesystem::path& file, const Expected& expected,
                                  std::string_view why);

// JSON Lines, an object in each, as far as they were written: a run may have been killed at the last. False
// where something is left that is no such line.
bool for_each_line(std::string_view bytes, const std::function<void(const nlohmann::ordered_json&)>& take);

// Where nothing of this name is there, not even a link to nowhere or a file that may not be seen.
bool is_absent(const std::filesystem::path& file);

// A value of a document, and where in it that stands. Each read throws DocumentError where the value is of
// another type: "tests[3].points is no whole number". Refers to the JSON value, which must outlive it.
class Node {
 public:
  explicit Node(const nlohmann::ordered_json& json, std::string where = {});

  [[nodiscard]] Node at(std::string_view key) const;                        // throws where it is missing
  [[nodiscard]] bool has(std::string_view key) const;                       // throws where this is no object
  [[nodiscard]] std::vector<Node> items() const;                            // of a list
  [[nodiscard]] std::vector<std::pair<std::string, Node>> members() const;  // of an object

  [[nodiscard]] std::string text() const;
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] uint64_t count(uint64_t most = INT64_MAX) const;  // a whole number, 0 to `most`

  // Of a member that may be missing: then what is given, or nothing.
  [[nodiscard]] std::string text_or(std::string_view key, std::string_view otherwise = {}) const;
  [[nodiscard]] std::vector<std::string> texts_or_none(std::string_view key) const;
  [[nodiscard]] uint64_t count_or(std::string_view key, uint64_t otherwise, uint64_t most = INT64_MAX) const;
  [[nodiscard]] std::vector<Node> items_or_none(std::string_view key) const;

  [[nodiscard]] const nlohmann::ordered_json& json() const { return *json_; }
  [[nodiscard]] const std::string& where() const { return where_; }

  // For what only the caller knows to be wrong: throws DocumentError, "PLACE WHY".
  [[noreturn]] void refuse(std::string_view why) const;

 private:
  [[nodiscard]] std::string below(std::string_view key) const;  // where a member stands

  const nlohmann::ordered_json* json_;
  std::string where_;
};

// The same text where it is UTF-8; other bytes are replaced (U+FFFD).
std::string as_utf8(std::string_view text);

// Foreign text for one line of a terminal: control characters become '?', and so does what turns the
// direction of writing or begins a line; what is too long is cut.
std::string as_one_line(std::string_view text, size_t most = SIZE_MAX);

}  // namespace conformance
