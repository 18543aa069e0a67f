// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/experiment.h"

#include <fmt/format.h>

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
  if (rdmafault_parse(text.c_str(), &rule.parsed, &error) != 0)
    throw std::invalid_argument(
        fmt::format("rule '{}', position {}: {}", text, error.position, error.message));
  return rule;
}

std::string Experiment::point() const {
  std::string id(operation->function());
  if (const std::string variant = operation->variant(); !variant.empty()) id += "(" + variant + ")";
  for (const Rule& rule : rules) id += "/" + rule.text;
  if (!script.empty()) id += "/script=" + script;
  return fmt::format("{}/{}/{}", id, name_of(start), name_of(sentinel));
}

Experiment Experiment::control() const {
  Experiment same = *this;
  same.rules.clear();
  same.script.clear();
  if (!operation->should_succeed())
    same.operation = std::shared_ptr<const Operation>(operation, &operation->ordinary());
  return same;
}

}  // namespace conformance
