// SPDX-License-Identifier: BSD-3-Clause
//
// What the parts of the judge share: one experiment's evidence, readings of it, and the outcomes so far. Not
// for anybody else (judge.h is the interface).
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
  // That an endpoint works, as a client found out; `text` says what it found.
  void demand_works(std::string_view clause, Works works, std::string_view text, const std::string& module);

  [[nodiscard]] bool on_mock() const { return library.mock.begin != nullptr; }
  [[nodiscard]] Window call_window() const { return {seen.call_first, seen.call_last}; }
  // The first call of a function that the IUT itself made, under test.
  [[nodiscard]] const rdmafault_record* iut_call(std::string_view name) const;
  [[nodiscard]] static int64_t argument(const rdmafault_record& record, std::string_view name);
  // Kinds of descriptors of which there are more than before, in words: "2 x /dev/null". Excused event
  // channels keep theirs (ruling 7).
  static std::vector<std::string> in_words(std::map<std::string, int> more, const Ledger& ledger);
  // Whose system call opened the first descriptor of these kinds that is there `now` and was not before the
  // call; nothing where that was not seen.
  [[nodiscard]] std::optional<std::string> who_opened(const std::map<std::string, int>& kinds,
                                                      const Holdings& now) const;
  // The role of the module in which the first fault was put; "iut" where none fired.
  [[nodiscard]] std::string faulted() const;
};

// Success promised, or given where it may be.
void judge_success(Judging& judging);
// Failure promised, or given where it may be.
void judge_failure(Judging& judging);

// Several threads (judge_threads.cpp): what they promise one another; the first call that had gone wrong; a
// fault that reached a call which it was not for; whose turn it was when the process ended; and what each of
// them asked of the provider that its pages do not allow.
void judge_threads(Judging& judging);
std::optional<ClauseOutcome> wrong_in_threads(const Judging& judging);  // where the process died later
std::string stray_fault(const Judging& judging);
std::string whose_turn(const Judging& judging);
std::vector<std::string> illegal_in_threads(const Judging& judging);

}  // namespace conformance
