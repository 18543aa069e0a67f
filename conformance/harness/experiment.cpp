// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace conformance {

std::string_view name_of(Start start) {
  constexpr std::array<std::string_view, 3> names = {"cold", "primed", "warm"};
  return names.at(static_cast<size_t>(start));
}

std::string_view name_of(Sentinel sentinel) {
  constexpr std::array<std::string_view, 3> names = {"null", "wild", "live"};
  return names.at(static_cast<size_t>(sentinel));
}

Rule make_rule(const std::string& text) {
  Rule rule{text, {}};
  rdmafault_error error{};
  if (const size_t end = text.find('\0'); end != std::string::npos)
    throw std::invalid_argument(fmt::format("rule '{}', position {}: a NUL byte", text.c_str(), end));
  if (rdmafault_parse(text.c_str(), &rule.parsed, &error) != 0)
    throw std::invalid_argument(
        fmt::format("rule '{}', position {}: {}", text, error.position, error.message));
  return rule;
}

rdmafault_kind Rule::kind() const {
  if (parsed.function == RDMAFAULT_ANY_ALLOCATOR) return RDMAFAULT_ALLOCATOR;
  size_t count = 0;
  return rdmafault_functions(&count)[parsed.function].kind;
}

std::string Experiment::point() const {
  std::string id(operation->function());
  if (const std::string variant = operation->variant(); !variant.empty()) id += "(" + variant + ")";
  for (const Rule& rule : rules) id += "/" + rule.text;
  if (!script.empty()) id += "/script=" + script;
  if (!condition.empty()) id += "/condition=" + condition;
  if (logger == Logger::Default) id += "/logger=default";
  if (watch_system_calls) id += "/system-calls";
  if (threads > 1) id += fmt::format("/threads={}", threads);
  return fmt::format("{}/{}/{}", id, name_of(start), name_of(sentinel));
}

Experiment Experiment::control() const {
  Experiment same = *this;
  same.rules.clear();
  same.script.clear();
  same.condition.clear();
  same.watch_system_calls = sees_system_calls();
  same.must_succeed = true;
  same.operation = std::shared_ptr<const Operation>(operation, &operation->ordinary());
  return same;
}

bool Experiment::is_disturbed() const {
  return !rules.empty() || !script.empty() || !condition.empty() || &operation->ordinary() != operation.get();
}

bool Experiment::sees_system_calls() const {
  return watch_system_calls || !condition.empty() ||
         std::ranges::any_of(rules, [](const Rule& rule) { return rule.kind() == RDMAFAULT_SYSTEM_CALL; });
}

}  // namespace conformance
