// SPDX-License-Identifier: BSD-3-Clause
//
// The judge's frame: is this evidence at all, did the process survive, did the fault fire; then what success
// or failure promises (judge_success.cpp, judge_failure.cpp), and whether the provider was called rightly.
#include "conformance/harness/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <span>

#include "conformance/harness/attribution.h"
#include "conformance/harness/codes.h"
#include "conformance/harness/judging.h"
#include "conformance/harness/ledger.h"

namespace conformance {
namespace {

// In which phase a child ended, and which clause that breaks. Not listed: our own phases.
struct PhaseRow {
  Phase phase;
  std::string_view doing;
  std::string_view clause_on_success;
  std::string_view clause_on_failure;
};
constexpr PhaseRow kPhaseRows[] = {
    {Phase::Call, "in the call under test", "LISTEN-RET-1", "LISTEN-RET-2"},
    {Phase::Use, "while the endpoint was used", "LISTEN-USE-1", "LISTEN-USE-1"},
    {Phase::Undo, "while the endpoint was given back", "LISTEN-LEAK-5", "LISTEN-LEAK-5"},
    {Phase::Again, "in the call after the failure", "LISTEN-AGAIN-1", "LISTEN-AGAIN-1"},
    {Phase::Teardown, "while everything else was given back", "LISTEN-LEAK-5", "LISTEN-AGAIN-1"},
};

Outcome broken(std::string text) {
  return Outcome::of(Verdict::Broken, std::move(text));
}

void on_all(Judging& j, const Outcome& outcome) {
  for (const std::string_view clause : clauses_judged(j.expectation, j.on_mock()))
    j.outcomes.push_back({clause, outcome, ""});
}

bool a_rule_is_for_all_threads(const Experiment& experiment) {
  return std::ranges::any_of(experiment.rules, [](const Rule& rule) { return rule.parsed.any_thread != 0; });
}

std::string how_it_ended(const Observation& seen) {
  if (seen.thrown[0] != '\0') return fmt::format("an exception left a C function: {}", seen.thrown.data());
  if (seen.signal != 0) return fmt::format("{} at {}", strsignal(seen.signal), show(seen.at));
  return fmt::format("exit status {}", seen.status);
}

std::optional<Outcome> control_verdict(const Judging& j) {
  if (j.control == nullptr) return std::nullopt;
  const Observation& control = j.control->observation;
  std::string why;
  if (!j.control->child_error.empty())
    why = j.control->child_error;
  else if (control.broken[0] != '\0')
    why = control.broken.data();
  else if (control.returned == 0)
    why = "the call did not return without any fault";
  else if (control.code != 0)
    why = "without any fault the call returned " + code_name(control.code);
  else if (control.works != Works::Yes)
    why = std::string("without any fault the endpoint did not work: ") + control.use_text.data();
  else if (control.phase != Phase::Done)
    why = "without any fault the process did not come to its end";
  else if (!iut_asks_the_provider(j.library, *j.control))
    why = "the shim saw the IUT call no provider function: no fault could reach it";
  if (why.empty()) return std::nullopt;
  return broken("the control did not succeed: " + why);
}

// Our own set-up failed: nothing can be said of anybody.
std::optional<Outcome> no_evidence(const Judging& j) {
  const Observation& seen = j.seen;
  if (!j.evidence.child_error.empty()) return broken(j.evidence.child_error);
  if (seen.broken[0] != '\0') return broken(seen.broken.data());
  // A child that hung may have called without end: what it did before is enough to accuse it.
  for (const Holdings* holdings : {&seen.before, &seen.after, &seen.end})
    if (holdings->count > holdings->descriptors.size())
      return broken(
          fmt::format("the process had {} descriptors, more than can be compared", holdings->count));
  if (j.evidence.dropped > 0 && seen.phase == Phase::Done)
    return broken(fmt::format("the shim's log had no room for {} calls", j.evidence.dropped));
  const bool ours = seen.phase == Phase::Born || seen.phase == Phase::Prepare || seen.phase == Phase::After;
  if (ours && seen.timed_out != 0)
    return broken("the set-up of the experiment did not return in time; --timeout");
  if (ours) return broken(fmt::format("the process ended in our set-up: {}", how_it_ended(seen)));
  if (seen.signal != 0 && seen.timed_out == 0 && !is_crash_signal(seen.signal))
    return broken(fmt::format("the process was ended from outside: {}", strsignal(seen.signal)));
  for (const rdmafault_record& record : j.evidence.records) {
    const rdmafault_function& function = function_of(record);
    if ((record.flags & RDMAFAULT_FOREIGN) != 0 && function.kind == RDMAFAULT_PROVIDER &&
        !a_rule_is_for_all_threads(j.experiment))
      return broken(fmt::format("another thread called {} meanwhile", function.name));
  }
  if (const std::string text = stray_fault(j); !text.empty()) return broken(text);
  return control_verdict(j);
}

// The innermost place that is not the shim's own.
const Place& stuck_place(const Judging& j) {
  const std::span frames(j.seen.frame.data(), std::min<size_t>(j.seen.frames, j.seen.frame.size()));
  const auto found = std::ranges::find_if(
      frames, [&j](const Place& place) { return role_of(j.library, place.file.data()) != "harness"; });
  return found == frames.end() ? j.seen.stuck : *found;
}

// A child that died or did not return, in a phase in which that is somebody's fault. True where it did.
bool accuse_the_dead(Judging& j) {
  const Observation& seen = j.seen;
  if (seen.phase == Phase::Done) return false;
  const auto* const row = std::ranges::find(kPhaseRows, seen.phase, &PhaseRow::phase);
  // Where either may come, a call that returned 0 is judged as a success.
  const bool success = j.expectation.promise == Promise::Success ||
                       (j.expectation.promise == Promise::Either && seen.returned != 0 && seen.code == 0);
  const std::string_view clause = j.expectation.threads ? "LISTEN-THREADS-1"
                                  : success             ? row->clause_on_success
                                                        : row->clause_on_failure;
  const std::string doing = std::string(row->doing) + whose_turn(j);
  // What a call had done wrong before explains more than where the process stood at its end.
  const std::optional<ClauseOutcome> wrong = j.expectation.threads ? wrong_in_threads(j) : std::nullopt;
  if (seen.timed_out != 0) {
    const Place& place = stuck_place(j);
    const std::string where = place.address == 0 ? "" : ", stuck at " + show(place);
    j.outcomes.push_back({clause,
                          Outcome::of(Verdict::Hang, fmt::format("did not return {}{}", doing, where)),
                          wrong ? wrong->module : module_that_hangs(j.library, j.evidence)});
  } else {
    j.outcomes.push_back(
        {clause,
         Outcome::of(Verdict::Crash, fmt::format("the process ended {}: {}", doing, how_it_ended(seen))),
         wrong ? wrong->module : module_that_crashed(j.library, j.evidence)});
  }
  if (wrong) j.outcomes.push_back(*wrong);
  const std::vector<std::string> illegal = misuse_before_the_end(j.library, j.evidence);
  if (!illegal.empty()) j.fail("LISTEN-LEGAL-1", fmt::format("{}", fmt::join(illegal, "; ")), "iut");
  // A fault below ended it, in the module that it was put in or by it: for all others there is nothing to
  // conclude.
  if (j.expectation.promise == Promise::Either && j.outcomes.front().module != "iut") return true;
  // Of the rest nothing is known, and whoever is not accused has not passed either.
  for (const std::string_view other : clauses_judged(j.expectation, j.on_mock()))
    if (std::ranges::find(j.outcomes, other, &ClauseOutcome::clause) == j.outcomes.end())
      j.outcomes.push_back(
          {other, Outcome::of(Verdict::Unreached, fmt::format("the process did not come through {}", doing)),
           ""});
  return true;
}

// Whether what should have gone wrong did.
std::optional<Outcome> no_proof(const Judging& j) {
  if (const std::string text = not_as_asked(j.experiment, j.expectation, j.evidence); !text.empty())
    return Outcome::of(Verdict::Unreached, text);
  const bool made_to_fail = !j.experiment.condition.empty() && j.expectation.promise == Promise::Failure;
  if (made_to_fail && j.seen.code == 0 && really_failed(j.library, j.evidence, j.call_window()).empty())
    return Outcome::of(Verdict::Unreached,
                       fmt::format("under {} no provider call of the IUT failed", j.experiment.condition));
  return std::nullopt;
}

void judge_legality(Judging& j) {
  std::vector<Window> windows = {j.call_window()};
  if (j.seen.undone != 0) windows.push_back({j.seen.undo_first, j.seen.undo_last});
  std::vector<std::string> illegal =
      j.expectation.threads ? illegal_in_threads(j) : settle(j.library, j.evidence, windows).illegal;
  if (j.seen.mock.failures != 0) {
    std::string text = j.seen.mock.text;
    std::ranges::replace(text, '\n', ';');
    illegal.push_back(fmt::format("the mock saw {} broken expectations: {}", j.seen.mock.failures, text));
  }
  j.demand("LISTEN-LEGAL-1", illegal.empty(), fmt::format("{}", fmt::join(illegal, "; ")), "iut");
}

}  // namespace

std::vector<std::string_view> clauses_judged(const Expectation& expectation, bool mock) {
  if (expectation.threads) return {"LISTEN-THREADS-1", "LISTEN-LEGAL-1"};
  if (expectation.promise == Promise::Success)
    return {"LISTEN-RET-1", "LISTEN-EPPTR-2", "LISTEN-USE-1",  "LISTEN-USE-2",
            "LISTEN-USE-3", "LISTEN-USE-4",   "LISTEN-LEAK-5", "LISTEN-LEGAL-1"};
  // Which of the others bear on the outcome follows from whether the call succeeds.
  if (expectation.promise == Promise::Either) return {"LISTEN-BELOW-1", "LISTEN-LEGAL-1"};
  std::vector<std::string_view> ids = {"LISTEN-RET-2",  "LISTEN-EPPTR-1", "LISTEN-LEAK-1",
                                       "LISTEN-LEAK-2", "LISTEN-LEAK-3",  "LISTEN-LEGAL-1"};
  if (!expectation.lasts) ids.emplace_back("LISTEN-AGAIN-1");
  if (!mock) ids.emplace_back("LISTEN-LEAK-4");
  if (expectation.asks_nothing) ids.emplace_back("LISTEN-INVAL-5");
  ids.insert(ids.end(), expectation.code_clauses.begin(), expectation.code_clauses.end());
  return ids;
}

std::vector<ClauseOutcome> judge(const Library& library, const Experiment& experiment,
                                 const Expectation& expectation, const Evidence& evidence,
                                 const Evidence* control) {
  Judging j{library, experiment, expectation, evidence, control, evidence.observation};
  if (const std::optional<Outcome> worthless = no_evidence(j)) {
    on_all(j, *worthless);
  } else if (!accuse_the_dead(j)) {
    if (expectation.threads) {
      judge_threads(j);
      judge_legality(j);
    } else if (const std::optional<Outcome> unproven = no_proof(j)) {
      on_all(j, *unproven);
    } else {
      const bool succeeds = expectation.promise == Promise::Success ||
                            (expectation.promise == Promise::Either && j.seen.code == 0);
      if (succeeds)
        judge_success(j);
      else
        judge_failure(j);
      judge_legality(j);
    }
  }
  return std::move(j.outcomes);
}

}  // namespace conformance
