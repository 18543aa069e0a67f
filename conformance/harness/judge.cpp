// SPDX-License-Identifier: BSD-3-Clause
//
// The judge's frame: whether the evidence is valid, the process survived and the fault fired; then what a
// success or failure promises (judge_success.cpp, judge_failure.cpp), and whether the provider calls were
// legal.
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

// The clause that a child breaks if it ends in this phase. Not listed: the harness's own phases.
struct PhaseRow {
  Phase phase;
  std::string_view doing;
  std::string_view clause_on_success;
  std::string_view clause_on_failure;
};
constexpr PhaseRow kPhaseRows[] = {
    {Phase::Call, "in the call under test", "LISTEN-RET-1", "LISTEN-RET-2"},
    {Phase::Use, "while the endpoint was used", "LISTEN-USE-1", "LISTEN-USE-1"},
    {Phase::Undo, "while the endpoint was shut down", "LISTEN-LEAK-5", "LISTEN-LEAK-5"},
    {Phase::Again, "in the call after the failure", "LISTEN-AGAIN-1", "LISTEN-AGAIN-1"},
    {Phase::Teardown, "in the teardown", "LISTEN-LEAK-5", "LISTEN-AGAIN-1"},
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
  if (seen.signal != 0) return fmt::format("{} at {}", signal_name(seen.signal), show(seen.at));
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
    why = "the call did not return";
  else if (control.code != 0)
    why = "the call returned " + code_name(control.code);
  else if (control.works != Works::Yes)
    why = std::string("the endpoint did not work: ") + control.use_text.data();
  else if (control.phase != Phase::Done)
    why = "the process did not reach its end";
  else if (!iut_asks_the_provider(j.library, *j.control))
    why = "the shim saw no provider call of the IUT, so no fault can reach it";
  if (why.empty()) return std::nullopt;
  return broken("the control, without a fault, did not succeed: " + why);
}

// The harness's own set-up failed: there is no verdict on any module.
std::optional<Outcome> no_evidence(const Judging& j) {
  const Observation& seen = j.seen;
  if (!j.evidence.child_error.empty()) return broken(j.evidence.child_error);
  if (seen.broken[0] != '\0') return broken(seen.broken.data());
  if (seen.caught != 0 && contains(j.library.not_for_the_mock, seen.at.address))
    return broken(
        fmt::format("the IUT called the real librdmacm past the shim ({}), with handles of the mock; use "
                    "another provider",
                    show(seen.at)));
  // A full log is accepted from a child that hung: it may have repeated a call without end.
  for (const Holdings* holdings : {&seen.before, &seen.after, &seen.end})
    if (holdings->count > holdings->descriptors.size())
      return broken(fmt::format("the process had {} descriptors; the limit is {}", holdings->count,
                                holdings->descriptors.size()));
  if (j.evidence.dropped > 0 && seen.phase == Phase::Done)
    return broken(fmt::format("the shim's log was full: {} calls are missing", j.evidence.dropped));
  const bool ours = seen.phase == Phase::Born || seen.phase == Phase::Prepare || seen.phase == Phase::After;
  if (ours && seen.timed_out != 0)
    return broken("the experiment's set-up timed out; give a longer --timeout");
  if (ours)
    return broken(fmt::format("the process ended in the experiment's set-up: {}", how_it_ended(seen)));
  if (seen.signal != 0 && seen.timed_out == 0 && !is_crash_signal(seen.signal))
    return broken("the process was killed from outside by " + signal_name(seen.signal));
  for (const rdmafault_record& record : j.evidence.records) {
    const rdmafault_function& function = function_of(record);
    if ((record.flags & RDMAFAULT_FOREIGN) != 0 && function.kind == RDMAFAULT_PROVIDER &&
        !a_rule_is_for_all_threads(j.experiment))
      return broken(fmt::format("another thread called {} during the call under test", function.name));
  }
  if (const std::string text = stray_fault(j); !text.empty()) return broken(text);
  return control_verdict(j);
}

// The innermost place outside the shim.
const Place& stuck_place(const Judging& j) {
  const std::span frames(j.seen.frame.data(), std::min<size_t>(j.seen.frames, j.seen.frame.size()));
  const auto found = std::ranges::find_if(
      frames, [&j](const Place& place) { return role_of(j.library, place.file.data()) != "harness"; });
  return found == frames.end() ? j.seen.stuck : *found;
}

// A crash or hang in a phase of the IUT is a finding. Returns true if there was one.
bool accuse_the_dead(Judging& j) {
  const Observation& seen = j.seen;
  if (seen.phase == Phase::Done) return false;
  const auto* const row = std::ranges::find(kPhaseRows, seen.phase, &PhaseRow::phase);
  // If either is allowed, a call that returned 0 is judged as a success.
  const bool success = j.expectation.promise == Promise::Success ||
                       (j.expectation.promise == Promise::Either && seen.returned != 0 && seen.code == 0);
  const std::string_view clause = j.expectation.threads ? "LISTEN-THREADS-1"
                                  : success             ? row->clause_on_success
                                                        : row->clause_on_failure;
  const std::string doing = std::string(row->doing) + turn_at_the_end(j);
  // An earlier wrong result explains more than the place of the crash.
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
  // After a fault below the IUT, a module below it crashed or hung: that decides no other clause.
  if (j.expectation.promise == Promise::Either && j.outcomes.front().module != "iut") return true;
  // The other clauses were not decided: they have not passed either.
  for (const std::string_view other : clauses_judged(j.expectation, j.on_mock()))
    if (std::ranges::find(j.outcomes, other, &ClauseOutcome::clause) == j.outcomes.end())
      j.outcomes.push_back(
          {other, Outcome::of(Verdict::Unreached, fmt::format("the process crashed or hung {}", doing)), ""});
  return true;
}

// Empty if the fault or condition took effect.
std::optional<Outcome> no_proof(const Judging& j) {
  if (const std::string text = not_as_asked(j.experiment, j.expectation, j.evidence); !text.empty())
    return Outcome::of(Verdict::Unreached, text);
  const bool made_to_fail = !j.experiment.condition.empty() && j.expectation.promise == Promise::Failure;
  if (made_to_fail && j.seen.code == 0 && really_failed(j.library, j.evidence, j.call_window()).empty())
    return Outcome::of(
        Verdict::Unreached,
        fmt::format("no provider call of the IUT failed under condition {}", j.experiment.condition));
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
    illegal.push_back(fmt::format("the mock reports {} broken expectations: {}", j.seen.mock.failures, text));
  }
  j.demand("LISTEN-LEGAL-1", illegal.empty(), fmt::format("{}", fmt::join(illegal, "; ")), "iut");
}

}  // namespace

std::vector<std::string_view> clauses_judged(const Expectation& expectation, bool mock) {
  if (expectation.threads) return {"LISTEN-THREADS-1", "LISTEN-LEGAL-1"};
  if (expectation.promise == Promise::Success)
    return {"LISTEN-RET-1", "LISTEN-EPPTR-2", "LISTEN-USE-1",  "LISTEN-USE-2",
            "LISTEN-USE-3", "LISTEN-USE-4",   "LISTEN-LEAK-5", "LISTEN-LEGAL-1"};
  // The other clauses depend on whether the call succeeds.
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
