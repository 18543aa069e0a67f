// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/document.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <system_error>
#include <utility>

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
std::string content_of(const std::filesystem::path& file, size_t most, bool links) {
  const auto fail = [] { throw std::system_error(errno, std::generic_category()); };
  const auto too_large = [most] {
    constexpr size_t kMiB = size_t{1} << 20;
    throw DocumentError(fmt::format("it has more than the {} {} that are read",
                                    most < kMiB ? most >> 10 : most / kMiB, most < kMiB ? "KiB" : "MiB"));
  };
  // Looked at before it is opened: opening a device may do something, opening a pipe may wait for its other
  // end.
  const File place(file.c_str(), links ? O_PATH : O_PATH | O_NOFOLLOW);
  struct stat status = {};
  if (place.fd() < 0 || fstat(place.fd(), &status) != 0) fail();
  if (!S_ISREG(status.st_mode))
    throw DocumentError(S_ISDIR(status.st_mode)   ? "it is a folder"
                        : S_ISLNK(status.st_mode) ? "it is a link"
                                                  : "it is no regular file");
  if (std::cmp_greater(status.st_size, most)) too_large();
  const File opened(fmt::format("/proc/self/fd/{}", place.fd()).c_str(), O_RDONLY);
  if (opened.fd() < 0) fail();
  std::string content;
  std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t size = read(opened.fd(), buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) fail();
    if (size == 0) return content;
    content.append(buffer.data(), static_cast<size_t>(size));
    if (content.size() > most) too_large();  // it grew, or its size was a lie, as that of files in /proc
  }
}

// What is checked while the parser reads: it builds nothing that is refused. Each object's keys are kept
// aside since those of an ordered object are searched one by one.
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
    if (++values_ > kMostValues)
      throw DocumentError(fmt::format("it holds more than {} values", kMostValues));
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

// The library's words without the number of its exception.
std::string words_of(const Json::exception& error) {
  std::string_view words = error.what();
  const size_t bracket = words.find("] ");
  if (words.starts_with('[') && bracket != std::string_view::npos) words.remove_prefix(bracket + 2);
  return as_one_line(words, kMostShown);
}

// The length of the character that the text begins with, where it has no place in a line: 0, or 1 to 3 bytes.
size_t length_of_unfit(std::string_view text) {
  const auto byte = [text](size_t n) { return n < text.size() ? static_cast<unsigned char>(text[n]) : 0U; };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  // The control characters U+0080 to U+009F.
  if (byte(0) == 0xc2 && byte(1) < 0xa0) return 2;
  // Line and paragraph ends and what embeds or overrides a direction: U+2028 to U+202E, U+2066 to U+2069.
  const bool turns = byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
                                         (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9));
  return turns ? 3 : 0;
}

}  // namespace

void refuse_document(const std::filesystem::path& file, const Expected& expected, std::string_view why) {
  throw SetupError(
      fmt::format("{} is no {}: {}; {}", as_one_line(file.string()), expected.what, why, expected.hint));
}

std::string read_file(const std::filesystem::path& file, const Expected& expected) {
  try {
    return content_of(file, expected.most_bytes, expected.links);
  } catch (const DocumentError& error) {
    refuse_document(file, expected, error.what());
  } catch (const std::system_error& error) {
    throw SetupError(fmt::format("cannot read the {} {}: {}; {}", expected.what, as_one_line(file.string()),
                                 error.code().message(), expected.hint));
  }
}

Json parse_document(std::string_view bytes, std::string_view schema) {
  // The library takes it for the end, whatever is behind it.
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
  if (schema.empty()) return document;
  if (!document.is_object() || !document.contains("schema") || !document["schema"].is_string())
    throw DocumentError(fmt::format("it has no schema, which would be {}", schema));
  if (const auto& given = document["schema"].get_ref<const std::string&>(); given != schema)
    throw DocumentError(fmt::format("its schema is '{}', not {}", as_one_line(given, kMostShown), schema));
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

bool for_each_line(std::string_view bytes, const std::function<void(const Json&)>& take) {
  for (size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos; bytes.remove_prefix(end + 1)) {
    Json line;
    try {
      line = parse_document(bytes.substr(0, end));
    } catch (const DocumentError&) {
      return false;
    }
    if (!line.is_object()) return false;
    take(line);
  }
  return bytes.empty();
}

bool is_absent(const std::filesystem::path& file) {
  std::error_code error;
  return symlink_status(file, error).type() == std::filesystem::file_type::not_found;
}

Node::Node(const Json& json, std::string where) : json_(&json), where_(std::move(where)) {}

void Node::refuse(std::string_view why) const {
  throw DocumentError(fmt::format("{} {}", where_.empty() ? "the document" : where_, why));
}

std::string Node::below(std::string_view key) const {
  return where_.empty() ? std::string(key) : fmt::format("{}.{}", where_, key);
}

bool Node::has(std::string_view key) const {
  if (!json_->is_object()) refuse("is no object");
  return json_->contains(key);
}

Node Node::at(std::string_view key) const {
  if (!has(key)) refuse(fmt::format("has no '{}'", key));
  return Node((*json_)[key], below(key));
}

std::vector<Node> Node::items() const {
  if (!json_->is_array()) refuse("is no list");
  std::vector<Node> items;
  items.reserve(json_->size());
  for (const Json& item : *json_) items.emplace_back(item, fmt::format("{}[{}]", where_, items.size()));
  return items;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  if (!json_->is_object()) refuse("is no object");
  std::vector<std::pair<std::string, Node>> members;
  for (const auto& [key, value] : json_->items())
    members.emplace_back(key, Node(value, below(as_one_line(key, kMostShown))));
  return members;
}

std::string Node::text() const {
  if (!json_->is_string()) refuse("is no text");
  return json_->get<std::string>();
}

std::vector<std::string> Node::texts() const {
  std::vector<std::string> texts;
  for (const Node& item : items()) texts.push_back(item.text());
  return texts;
}

bool Node::flag() const {
  if (!json_->is_boolean()) refuse("is neither true nor false");
  return json_->get<bool>();
}

double Node::number() const {
  if (!json_->is_number()) refuse("is no number");
  return json_->get<double>();
}

uint64_t Node::count(uint64_t most) const {
  // A whole number that is not negative has this type, or the signed one where a program has set it.
  const bool whole =
      json_->is_number_integer() && (json_->is_number_unsigned() || json_->get<int64_t>() >= 0);
  if (!whole || json_->get<uint64_t>() > most) refuse(fmt::format("is no whole number from 0 to {}", most));
  return json_->get<uint64_t>();
}

std::string Node::text_or(std::string_view key, std::string_view otherwise) const {
  return has(key) ? at(key).text() : std::string(otherwise);
}

std::vector<std::string> Node::texts_or_none(std::string_view key) const {
  return has(key) ? at(key).texts() : std::vector<std::string>();
}

uint64_t Node::count_or(std::string_view key, uint64_t otherwise, uint64_t most) const {
  return has(key) ? at(key).count(most) : otherwise;
}

std::vector<Node> Node::items_or_none(std::string_view key) const {
  return has(key) ? at(key).items() : std::vector<Node>();
}

std::string as_utf8(std::string_view text) {
  // The JSON library knows which bytes are none.
  return nlohmann::json::parse(
             nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
      .get<std::string>();
}

std::string as_one_line(std::string_view text, size_t most) {
  const std::string known = as_utf8(text.substr(0, most));
  std::string line;
  for (size_t i = 0; i < known.size();) {
    const size_t unfit = length_of_unfit(std::string_view(known).substr(i));
    line += unfit > 0 ? '?' : known[i];
    i += std::max(unfit, size_t{1});
  }
  if (text.size() > most) line += "...";
  return line;
}

}  // namespace conformance
