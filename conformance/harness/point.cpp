// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/point.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <vector>

#include "conformance/harness/conditions.h"
#include "conformance/harness/listen_operation.h"

namespace conformance {
namespace {

constexpr size_t kLongestPoint = 1024;
constexpr std::array kStarts = {Start::Cold, Start::Primed, Start::Warm};
constexpr std::array kSentinels = {Sentinel::Null, Sentinel::Wild, Sentinel::Live};

std::vector<std::string> parts_of(const std::string& point) {
  std::vector<std::string> parts(1);
  for (const char c : point) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

template <class Values>
typename Values::value_type value_named(const Values& values, const std::string& name, const char* what) {
  for (const auto value : values)
    if (name_of(value) == name) return value;
  throw std::invalid_argument(fmt::format(
      "unknown {1} '{0}'; a point ends in /START/SENTINEL: cold, primed or warm, and null, wild or live",
      name, what));
}

std::shared_ptr<const Operation> operation_named(const std::string& text) {
  const size_t bracket = text.find('(');
  const std::string function = text.substr(0, bracket);
  if (function != "rpma_ep_listen")
    throw std::invalid_argument(
        fmt::format("unknown function '{}'; a point begins with rpma_ep_listen", function));
  if (bracket == std::string::npos) return listen_operation();
  if (!text.ends_with(')')) throw std::invalid_argument(fmt::format("'{}' has no closing bracket", text));
  return listen_operation_named(std::string_view(text).substr(bracket + 1, text.size() - bracket - 2));
}

void need_length(const std::string& point) {
  if (point.size() > kLongestPoint)
    throw std::invalid_argument(
        fmt::format("the point is too long; the limit is {} characters", kLongestPoint));
}

void need_condition(const std::string& text) {
  const Condition* condition = find_condition(text);
  if (condition == nullptr) throw std::invalid_argument(fmt::format("unknown condition '{}'", text));
  const std::string parameter = parameter_of(text);
  const bool counted = condition->parameter == "number" || condition->parameter == "KiB";
  constexpr size_t kMostDigits = 7;
  const bool is_count = !parameter.empty() && parameter.size() <= kMostDigits &&
                        parameter.find_first_not_of("0123456789") == std::string::npos;
  if (condition->parameter.empty() ? text != condition->name : counted ? !is_count : parameter.empty())
    throw std::invalid_argument(fmt::format("wrong parameter in condition '{}'; give {}{}{}", text,
                                            condition->name, condition->parameter.empty() ? "" : ":",
                                            condition->parameter));
}

void add_part(Experiment& experiment, const std::string& part) {
  constexpr std::string_view script = "script=";
  constexpr std::string_view condition = "condition=";
  constexpr std::string_view threads = "threads=";
  if (part.starts_with(script)) {
    experiment.script = part.substr(script.size());
  } else if (part.starts_with(condition)) {
    experiment.condition = part.substr(condition.size());
    need_condition(experiment.condition);
  } else if (part == "logger=default") {
    experiment.logger = Logger::Default;
  } else if (part == "system-calls") {
    experiment.watch_system_calls = true;
  } else if (part.starts_with(threads)) {
    const std::string number = part.substr(threads.size());
    unsigned value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error != std::errc{} || end != number.data() + number.size() || value < 2 || value > kMaxThreads)
      throw std::invalid_argument(
          fmt::format("wrong number in '{}'; give threads=N, from 2 to {}", part, kMaxThreads));
    experiment.threads = value;
  } else {
    experiment.rules.push_back(make_rule(part));
  }
}

}  // namespace

Experiment experiment_at(const std::string& point) {
  need_length(point);
  if (std::ranges::any_of(point, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }))
    throw std::invalid_argument("the point contains a control character");
  const std::vector<std::string> parts = parts_of(point);
  if (parts.size() < 3)
    throw std::invalid_argument(
        fmt::format("'{}' is not a point; give FUNCTION[/RULE...]/START/SENTINEL, as in a report", point));
  Experiment experiment;
  experiment.operation = operation_named(parts.front());
  experiment.start = value_named(kStarts, parts[parts.size() - 2], "start");
  experiment.sentinel = value_named(kSentinels, parts.back(), "sentinel");
  for (size_t i = 1; i + 2 < parts.size(); ++i) add_part(experiment, parts[i]);
  need_length(experiment.point());  // may be longer, with escapes such as %25
  if (experiment.rules.size() > RDMAFAULT_MAX_RULES)
    throw std::invalid_argument(fmt::format("too many rules; the limit is {}", RDMAFAULT_MAX_RULES));
  return experiment;
}

}  // namespace conformance
