// SPDX-License-Identifier: BSD-3-Clause
//
// The proof that the faults of an experiment fired as asked.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/harness/judge.h"

namespace conformance {
namespace {

constexpr uint32_t kAlways = 1'000'000;  // prob_ppm of a rule without prob=

}  // namespace

std::string not_as_asked(const Experiment& experiment, const Expectation& expectation,
                         const Evidence& evidence) {
  return not_as_asked(experiment, expectation, evidence.observation.rules);
}

std::string not_as_asked(const Experiment& experiment, const Expectation& expectation,
                         const RuleStates& states) {
  for (size_t i = 0; i < experiment.rules.size(); ++i) {
    const rdmafault_rule& rule = experiment.rules[i].parsed;
    const std::string& text = experiment.rules[i].text;
    const rdmafault_rule_state& state = states.at(i);
    if (expectation.fires_nothing) {
      if (state.fired == 0) continue;
      return fmt::format("the sweep's last rule, {}, still fired {} times", text, state.fired);
    }
    // With prob= the seed decides which calls fail; rdmafault_rule_fires() returns the same decision.
    if (rule.prob_ppm < kAlways) {
      uint64_t wanted = 0;
      for (uint64_t call = 1; call <= state.seen; ++call)
        if (rdmafault_rule_fires(&rule, call) != 0) ++wanted;
      if (state.seen >= rule.first && state.fired == wanted) continue;
      return fmt::format("rule {} met {} calls and fired {} times; its seed says {}", text, state.seen,
                         state.fired, wanted);
    }
    const bool endless = rule.last == UINT64_MAX;
    const auto fires_until = [&rule](uint64_t last) {
      return last < rule.first ? 0 : (last - rule.first) / std::max<uint64_t>(1, rule.step) + 1;
    };
    const uint64_t least = endless ? 1 : fires_until(rule.last);
    const uint64_t wanted = std::max(least, fires_until(std::min(state.seen, rule.last)));
    if (state.fired == wanted) continue;
    return fmt::format("rule {} fired {} of {} times; its call was made {} times", text, state.fired, wanted,
                       state.seen);
  }
  return {};
}

}  // namespace conformance
