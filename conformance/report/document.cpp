// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/document.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "conformance/harness/library.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostShown = 160;  // of what the parser says or of a foreign name

class File {
 public:
  File(const char* path, int flags) : fd_(open(path, flags | O_CLOEXEC)) {}
  ~File() {
    if (fd_ >= 0) close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  File(File&&) = delete;
  File& operator=(File&&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

// Throws std::system_error where the system refuses, DocumentError where we do.
std::string content_of(const std::filesystem::path& file, const Expected& expected) {
  const size_t most = expected.most_bytes;
  const auto fail = [] { throw std::system_error(errno, std::generic_category()); };
  const auto too_large = [most] {
    constexpr size_t kMiB = size_t{1} << 20;
    throw DocumentError(fmt::format("it is larger than {} {}", most < kMiB ? most >> 10 : most / kMiB,
                                    most < kMiB ? "KiB" : "MiB"));
  };
  // The kind is checked first: opening a device may have an effect, opening a pipe may block.
  const File place(file.c_str(), expected.links ? O_PATH : O_PATH | O_NOFOLLOW);
  struct stat status = {};
  if (place.fd() < 0 || fstat(place.fd(), &status) != 0) fail();
  const bool may_read = S_ISREG(status.st_mode) || (expected.pipes && S_ISFIFO(status.st_mode));
  if (!may_read)
    throw DocumentError(S_ISDIR(status.st_mode)   ? "it is a folder"
                        : S_ISLNK(status.st_mode) ? "it is a link"
                                                  : "it is not a regular file");
  if (std::cmp_greater(status.st_size, most)) too_large();
  // A pipe without a writer must not block; one with a writer is waited for below.
  const File opened(fmt::format("/proc/self/fd/{}", place.fd()).c_str(), O_RDONLY | O_NONBLOCK);
  if (opened.fd() < 0) fail();
  std::string content;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t size = read(opened.fd(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      pollfd writer{opened.fd(), POLLIN, 0};
      poll(&writer, 1, -1);
      continue;
    }
    if (size < 0) fail();
    if (size == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(size));
    if (content.size() > most) too_large();  // it grew, or is in /proc, where sizes are 0
  }
}

// Checks while the parser reads, so that nothing large is built in vain. The keys are kept in sets because an
// ordered object searches them one by one.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_end) {
      keys_.pop_back();
      return true;
    }
    if (event == Event::array_end) return true;
    if (event == Event::key) {
      take_key(parsed.get_ref<const std::string&>());
      return true;
    }
    if (++values_ > kMostValues) throw DocumentError(fmt::format("it has more than {} values", kMostValues));
    if (event == Event::value) return true;
    if (std::cmp_greater_equal(depth, kMostDepth))
      throw DocumentError(fmt::format("it is nested more than {} deep", kMostDepth));
    if (event == Event::object_start) keys_.emplace_back();
    return true;
  }

 private:
  void take_key(const std::string& key) {
    std::set<std::string>& keys = keys_.back();
    if (!keys.insert(key).second)
      throw DocumentError(fmt::format("an object has '{}' twice", as_one_line(key, kMostShown)));
    if (keys.size() > kMostMembers)
      throw DocumentError(fmt::format("an object has more than {} members", kMostMembers));
  }

  std::vector<std::set<std::string>> keys_;  // of each object that is open
  size_t values_ = 0;
};

// The library's message without the number of its exception.
std::string words_of(const Json::exception& error) {
  std::string_view words = error.what();
  const size_t bracket = words.find("] ");
  if (words.starts_with('[') && bracket != std::string_view::npos) words.remove_prefix(bracket + 2);
  return as_one_line(words, kMostShown);
}

// The length in bytes of the first character, where it is not fit for a line of text; otherwise 0.
size_t length_of_unfit(std::string_view text) {
  const auto byte = [text](size_t n) { return n < text.size() ? static_cast<unsigned char>(text[n]) : 0U; };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  // The control characters U+0080 to U+009F.
  if (byte(0) == 0xc2 && byte(1) < 0xa0) return 2;
  // Line and paragraph separators, controls of the direction: U+2028 to U+202E, U+2066 to U+2069.
  const bool turns = byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
                                         (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9));
  return turns ? 3 : 0;
}

// A document of another kind is told by its name.
void demand_schema(const Json& document, std::string_view schema) {
  if (document.is_object())
    if (const Json named = document.value("schema", Json("nothing")); named != schema)
      throw DocumentError(
          fmt::format("/schema: {} instead of \"{}\"", as_one_line(named.dump(), kMostShown), schema));
  if (const std::string where = departure(schema, document); !where.empty()) throw DocumentError(where);
}

}  // namespace

void refuse_document(const std::filesystem::path& file, const Expected& expected, std::string_view why) {
  throw SetupError(
      fmt::format("{} is not a {}: {}; {}", as_one_line(file.string()), expected.what, why, expected.hint));
}

std::string read_file(const std::filesystem::path& file, const Expected& expected) {
  try {
    return content_of(file, expected);
  } catch (const DocumentError& error) {
    refuse_document(file, expected, error.what());
  } catch (const std::system_error& error) {
    throw SetupError(fmt::format("cannot read the {} {}: {}; {}", expected.what, as_one_line(file.string()),
                                 error.code().message(), expected.hint));
  }
}

Json parse_document(std::string_view bytes, std::string_view schema) {
  // The library would ignore the rest.
  if (bytes.find('\0') != std::string_view::npos) throw DocumentError("it has a NUL byte");
  Json document;
  try {
    // The parser keeps copies of what it calls.
    Watch watch;
    document = Json::parse(bytes, [&watch](int depth, Json::parse_event_t event, const Json& parsed) {
      return watch(depth, event, parsed);
    });
  } catch (const Json::exception& error) {
    throw DocumentError(words_of(error));
  }
  if (!schema.empty()) demand_schema(document, schema);
  return document;
}

Json read_document(const std::filesystem::path& file, const Expected& expected) {
  const std::string content = read_file(file, expected);
  try {
    return parse_document(content, expected.schema);
  } catch (const DocumentError& error) {
    refuse_document(file, expected, error.what());
  }
}

bool for_each_line(std::string_view bytes, const LineSchema& lines,
                   const std::function<void(const Json&)>& take) {
  size_t number = 0;
  for (size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
    ++number;
    Json line;
    try {
      line = parse_document(bytes.substr(0, end));
    } catch (const DocumentError&) {
      return false;
    }
    if (!line.is_object()) return false;
    if (const std::string where = departure(lines.schema, line); !where.empty())
      throw DocumentError(fmt::format("{} line {}: {}", lines.file, number, where));
    take(line);
  }
  return bytes.empty();
}

bool is_absent(const std::filesystem::path& file) {
  std::error_code error;
  return symlink_status(file, error).type() == std::filesystem::file_type::not_found;
}

std::string as_utf8(std::string_view text) {
  // The JSON library does it.
  return nlohmann::json::parse(
             nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
      .get<std::string>();
}

std::string as_one_line(std::string_view text, size_t most) {
  const std::string known = as_utf8(text.substr(0, most));
  std::string line;
  for (size_t i = 0; i < known.size();) {
    const size_t unfit = length_of_unfit(std::string_view(known).substr(i));
    for (size_t byte = 0; byte < unfit; ++byte)
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(known[i + byte]));
    if (unfit == 0) line += known[i];
    i += std::max(unfit, size_t{1});
  }
  if (text.size() > most) line += "...";
  return line;
}

}  // namespace conformance
