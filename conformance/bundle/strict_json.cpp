// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/strict_json.h"

#include <fmt/format.h>

#include <set>
#include <stdexcept>
#include <string>

namespace conformance {
namespace {

// Watches a document as it is parsed.
class Watch {
 public:
  Watch(const JsonLimits& limits, size_t& values) : limits_(limits), values_(values) {}

  bool operator()(Json::parse_event_t event, const Json& parsed) {
    switch (event) {
      case Json::parse_event_t::object_start:
      case Json::parse_event_t::array_start:
        keys_.emplace_back();
        if (keys_.size() > limits_.depth)
          throw std::runtime_error(fmt::format("is nested deeper than {} levels", limits_.depth));
        count();
        break;
      case Json::parse_event_t::object_end:
      case Json::parse_event_t::array_end:
        keys_.pop_back();
        break;
      case Json::parse_event_t::key:
        if (!keys_.back().insert(parsed.get_ref<const std::string&>()).second)
          throw std::runtime_error(fmt::format("has a key twice: {}", parsed.dump().substr(0, 60)));
        if (keys_.back().size() > limits_.keys)
          throw std::runtime_error(fmt::format("has an object of more than {} keys", limits_.keys));
        break;
      case Json::parse_event_t::value:
        if (parsed.is_string() && parsed.get_ref<const std::string&>().size() > limits_.text)
          throw std::runtime_error(fmt::format("has a text of more than {} bytes", limits_.text));
        count();
        break;
    }
    return true;
  }

 private:
  void count() {
    if (++values_ > limits_.values)
      throw std::runtime_error(fmt::format("has more than {} values", limits_.values));
  }

  const JsonLimits& limits_;
  size_t& values_;
  std::vector<std::set<std::string>> keys_;  // of each object that is open
};

Json parse(std::string_view text, const JsonLimits& limits, size_t& values) {
  Watch watch(limits, values);
  try {
    return Json::parse(
        text.begin(), text.end(),
        [&watch](int, Json::parse_event_t event, const Json& parsed) { return watch(event, parsed); });
  } catch (const Json::parse_error& error) {
    throw std::runtime_error(fmt::format("is no JSON, at byte {}", error.byte));
  } catch (const Json::exception&) {
    throw std::runtime_error("has a number that is none");  // out of range
  }
}

}  // namespace

Json parse_strictly(std::string_view text, const JsonLimits& limits) {
  size_t values = 0;
  return parse(text, limits, values);
}

std::vector<Json> parse_lines_strictly(std::string_view text, const JsonLimits& limits) {
  std::vector<Json> documents;
  size_t values = 0;  // of all lines
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const size_t number = documents.size() + 1;
    if (end == std::string_view::npos) throw std::runtime_error(fmt::format("is cut off in line {}", number));
    try {
      documents.push_back(parse(text.substr(0, end), limits, values));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(fmt::format("{} (line {})", error.what(), number));
    }
    text.remove_prefix(end + 1);
  }
  return documents;
}

}  // namespace conformance
