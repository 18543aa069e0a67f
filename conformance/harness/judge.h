// SPDX-License-Identifier: BSD-3-Clause
//
// The judge: what an experiment's evidence says about each clause, and which module is at fault.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/experiment.h"
#include "conformance/harness/pool.h"
#include "conformance/harness/verdict.h"

namespace conformance {

// What the page promises for an experiment.
enum class Promise {
  Success,
  Failure,  // with a certain code
  Either  // a fault below the IUT: a documented code and nothing touched, or a success that works (ruling 1)
};

// What a conforming function does in an experiment.
struct Expectation {
  Promise promise = Promise::Failure;
  int code = 0;                                     // of a failure
  std::vector<std::string_view> code_clauses = {};  // that promise this code
  bool asks_nothing = false;                        // the provider must not be called at all
  bool fires_nothing = false;                       // a sweep's last run: no fault may fire
  bool lasts = false;                               // the condition outlives the call: no next call is made
  bool threads = false;                             // several threads call; `code` is for those with a fault
};

// The clauses that this expectation can decide. The requirement matrix is derived from it.
std::vector<std::string_view> clauses_judged(const Expectation& expectation, bool mock);

struct ClauseOutcome {
  std::string_view clause;
  Outcome outcome;
  std::string module;  // of a finding: the role of the module at fault
};

// Judges `evidence` of `experiment`. A verdict after a fault counts only if the `control` succeeded. An
// experiment without a fault has no control: pass nullptr. Never returns an empty vector.
std::vector<ClauseOutcome> judge(const Library& library, const Experiment& experiment,
                                 const Expectation& expectation, const Evidence& evidence,
                                 const Evidence* control);

// Empty if the faults fired as asked, otherwise what did not.
std::string not_as_asked(const Experiment& experiment, const Expectation& expectation,
                         const Evidence& evidence);
// The same for one thread's rules, after one call.
using RuleStates = std::array<rdmafault_rule_state, RDMAFAULT_MAX_RULES>;
std::string not_as_asked(const Experiment& experiment, const Expectation& expectation,
                         const RuleStates& states);

}  // namespace conformance
