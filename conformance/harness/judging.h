// SPDX-License-Identifier: BSD-3-Clause
//
// What the parts of the judge share: one experiment's evidence, queries on it, and the outcomes so far. Only
// for these parts; judge.h is the interface.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/judge.h"
#include "conformance/harness/ledger.h"

namespace conformance {

struct Judging {
  const Library& library;
  const Experiment& experiment;
  const Expectation& expectation;
  const Evidence& evidence;
  const Evidence* control;  // null: the experiment is its own control
  const Observation& seen;
  std::vector<ClauseOutcome> outcomes = {};

  void pass(std::string_view clause);
  void fail(std::string_view clause, std::string reason, std::string module);
  void demand(std::string_view clause, bool met, const std::string& reason, const std::string& module);
  void cannot_tell(std::string_view clause, std::string reason);
  // Demands that an endpoint works; `text`: what the client reports.
  void demand_works(std::string_view clause, Works works, std::string_view text, const std::string& module);

  [[nodiscard]] bool on_mock() const { return library.mock.begin != nullptr; }
  [[nodiscard]] Window call_window() const { return {seen.call_first, seen.call_last}; }
  // The IUT's first call of a function, in the call under test.
  [[nodiscard]] const rdmafault_record* iut_call(std::string_view name) const;
  [[nodiscard]] static int64_t argument(const rdmafault_record& record, std::string_view name);
  // The kinds of descriptors that are left, as text: "2 x /dev/null". Without those of excused event channels
  // (ruling 7).
  static std::vector<std::string> in_words(std::map<std::string, int> more, const Ledger& ledger);
  // The role of the module that opened the first descriptor of these kinds that is open `now` and was not
  // open before the call; nothing if the shim did not see that.
  [[nodiscard]] std::optional<std::string> role_that_opened(const std::map<std::string, int>& kinds,
                                                            const Holdings& now) const;
  // The role of the module that made the first failing call; "iut" if no fault fired.
  [[nodiscard]] std::string faulted() const;
};

// If a success is promised, or allowed and returned.
void judge_success(Judging& judging);
// If a failure is promised, or allowed and returned.
void judge_failure(Judging& judging);

// Several threads (judge_threads.cpp), in order: LISTEN-THREADS-1; the first wrong result; a fault that
// reached another thread's call; the thread and round in which the process ended, as text; each thread's
// illegal provider calls.
void judge_threads(Judging& judging);
std::optional<ClauseOutcome> wrong_in_threads(const Judging& judging);  // before a crash or hang
std::string stray_fault(const Judging& judging);
std::string turn_at_the_end(const Judging& judging);
std::vector<std::string> illegal_in_threads(const Judging& judging);

}  // namespace conformance
