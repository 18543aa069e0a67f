// SPDX-License-Identifier: BSD-3-Clause
//
// The judge: what an experiment's evidence says about each clause, and whom it accuses.
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
  bool fires_nothing = false;                       // a sweep's last run: no fault was left to fire
  bool lasts = false;                               // what goes wrong outlives the call: no next one is made
  bool threads = false;                             // several call; `code` is of those with a fault
};

// The clauses on which evidence for this expectation bears: the requirement matrix comes from here.
std::vector<std::string_view> clauses_judged(const Expectation& expectation, bool mock);

struct ClauseOutcome {
  std::string_view clause;
  Outcome outcome;
  std::string module;  // role of the module that is accused; of interest for findings alone
};

// Judges `evidence` of `experiment`. A fault's verdict counts only where the `control` succeeded; for an
// experiment without a fault, pass nullptr: it is its own control. Never empty.
std::vector<ClauseOutcome> judge(const Library& library, const Experiment& experiment,
                                 const Expectation& expectation, const Evidence& evidence,
                                 const Evidence* control);

// The proof that the faults fired as they were asked to: empty, or what is missing from it.
std::string not_as_asked(const Experiment& experiment, const Expectation& expectation,
                         const Evidence& evidence);
// The same of one thread's rules, after its one call.
using RuleStates = std::array<rdmafault_rule_state, RDMAFAULT_MAX_RULES>;
std::string not_as_asked(const Experiment& experiment, const Expectation& expectation,
                         const RuleStates& states);

}  // namespace conformance
