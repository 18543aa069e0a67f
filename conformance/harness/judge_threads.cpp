// SPDX-License-Identifier: BSD-3-Clause
//
// Threads listen in turns, every second one with a fault. Each must get the result of its own call and
// release everything, even if other threads fail. A thread's rules must not reach another thread; if they
// do, the harness is at fault and the verdict is broken.
#include <fmt/format.h>

#include <optional>
#include <span>
#include <utility>

#include "conformance/harness/attribution.h"
#include "conformance/harness/codes.h"
#include "conformance/harness/holdings.h"
#include "conformance/harness/judging.h"

namespace conformance {
namespace {

constexpr std::string_view kClause = "LISTEN-THREADS-1";

// One thread's evidence.
struct Side {
  const Judging& j;
  const Evidence::Thread& thread;
  size_t index;

  [[nodiscard]] bool has_rules() const { return index % 2 == 1 && !j.experiment.rules.empty(); }
  [[nodiscard]] std::span<const ThreadRound> rounds() const {
    return std::span(thread.seen.round).first(thread.seen.rounds);
  }
  [[nodiscard]] std::span<const rdmafault_record> records() const {
    const bool is_last = index + 1 == j.evidence.threads.size();
    const size_t end = is_last ? j.evidence.records.size() : j.evidence.threads[index + 1].first_record;
    return std::span(j.evidence.records).subspan(thread.first_record, end - thread.first_record);
  }
  [[nodiscard]] Window window(uint32_t first, uint32_t last) const {
    return {thread.first_record + first, thread.first_record + last};
  }
  // Of all rounds: a leak must not look like an acquisition of a later round.
  [[nodiscard]] Ledger ledger() const {
    std::vector<Window> windows;
    for (const ThreadRound& round : rounds()) {
      windows.push_back(window(round.call_first, round.call_last));
      if (round.step == Step::Undone) windows.push_back(window(round.undo_first, round.undo_last));
    }
    return settle(j.library, j.evidence, windows);
  }
  [[nodiscard]] std::string name() const {
    return fmt::format("thread {} of {}", index + 1, j.evidence.threads.size());
  }
  [[nodiscard]] std::string name(const ThreadRound& round) const {
    return fmt::format("{}, round {}", name(), &round - rounds().data() + 1);
  }
};

std::vector<Side> sides_of(const Judging& j) {
  std::vector<Side> sides;
  for (const Evidence::Thread& thread : j.evidence.threads) sides.push_back({j, thread, sides.size()});
  return sides;
}

// Empty, or the fault that reached another thread's call.
std::string stray_fault(const Side& side) {
  for (const rdmafault_record& record : side.records()) {
    if ((record.flags & RDMAFAULT_INJECTED) == 0) continue;
    const std::string_view function = function_of(record).name;
    if (!side.has_rules())
      return fmt::format("a fault in {} reached {}, which has no rules", function, side.name());
    if (record.thread != side.thread.seen.id)
      return fmt::format("a fault of {} in {} reached another thread", side.name(), function);
  }
  if (side.has_rules()) return {};
  for (const ThreadRound& round : side.rounds())
    for (const rdmafault_rule_state& state : round.rules)
      if (state.seen != 0)
        return fmt::format("{} has no rules, but a rule counted its calls", side.name(round));
  return {};
}

// The outcome if a round's fault did not fire as asked. If the listener did not make the rule's call:
// unreached; otherwise the harness is at fault: broken.
std::optional<Outcome> missing_fault(const Side& side, const ThreadRound& round) {
  const std::string text = not_as_asked(side.j.experiment, side.j.expectation, round.rules);
  if (text.empty()) return std::nullopt;
  bool was_called = true;
  for (size_t i = 0; i < side.j.experiment.rules.size(); ++i)
    if (round.rules.at(i).seen < side.j.experiment.rules[i].parsed.first) was_called = false;
  return Outcome::of(was_called ? Verdict::Broken : Verdict::Unreached,
                     fmt::format("{}: {}", side.name(round), text));
}

// The first finding, with the module at fault, and the first thing that could not be decided.
class Findings {
 public:
  void wrong(std::string text, std::string module = "iut") {
    if (!wrong_) wrong_ = {kClause, Outcome::of(Verdict::Fail, std::move(text)), std::move(module)};
  }
  void unknown(Outcome outcome) {
    if (!unknown_) unknown_ = {kClause, std::move(outcome), ""};
  }
  void unknown(std::string text) { unknown(Outcome::of(Verdict::Broken, std::move(text))); }
  [[nodiscard]] ClauseOutcome worst() const {
    if (wrong_) return *wrong_;
    return unknown_ ? *unknown_ : ClauseOutcome{kClause, Outcome::pass(), ""};
  }

 private:
  std::optional<ClauseOutcome> wrong_;  // the first
  std::optional<ClauseOutcome> unknown_;
};

void judge_faulted(const Side& side, const ThreadRound& round, Findings& findings) {
  if (const std::optional<Outcome> missing = missing_fault(side, round)) return findings.unknown(*missing);
  if (round.code != side.j.expectation.code)
    findings.wrong(fmt::format("{}, with a fault, returned {} instead of {}", side.name(round),
                               code_name(round.code), code_name(side.j.expectation.code)));
  else if (round.out_after != round.out_before)
    findings.wrong(side.name(round) + ", with a fault: *ep_ptr changed");
}

void judge_works(const std::string& endpoint, Works works, const std::string& text, Findings& findings) {
  if (works == Works::No) findings.wrong(fmt::format("the endpoint of {} does not work: {}", endpoint, text));
  if (works == Works::Unknown)
    findings.unknown(fmt::format("the endpoint of {} was not used: {}", endpoint, text));
}

void judge_faultless(const Side& side, const ThreadRound& round, Findings& findings) {
  if (round.code != 0) {
    const std::string real =
        really_failed(side.j.library, side.j.evidence, side.window(round.call_first, round.call_last));
    if (!real.empty()) return findings.unknown(fmt::format("{}: {}", side.name(round), real));
    return findings.wrong(
        fmt::format("{}, without a fault, returned {}", side.name(round), code_name(round.code)));
  }
  if (round.step < Step::Used && (round.out_after == 0 || round.out_after == round.out_before))
    return findings.wrong(side.name(round) + " returned 0, but *ep_ptr holds no new endpoint");
  judge_works(side.name(round), round.works, side.thread.seen.use_text.data(), findings);
  if (round.undo_code != 0)
    findings.wrong(
        fmt::format("rpma_ep_shutdown in {} returned {}", side.name(round), code_name(round.undo_code)));
}

// Every round leaves the same: one text is enough.
std::string first_of(const std::string& text, size_t number) {
  return number == 1 ? text : fmt::format("{} (and {} more)", text, number - 1);
}

void judge_what_is_left(const Side& side, Findings& findings) {
  const Ledger ledger = side.ledger();
  if (!ledger.blocks_left.empty())
    findings.wrong(fmt::format("{} did not free {}", side.name(),
                               first_of(ledger.blocks_left.front(), ledger.blocks_left.size())));
  if (ledger.handles_left.empty()) return;
  findings.wrong(fmt::format("{} did not release {}", side.name(),
                             first_of(ledger.handles_left.front().text, ledger.handles_left.size())),
                 role_to_blame(ledger.handles_left));
}

// The main thread listens once more: damage by an earlier failure shows here.
void judge_last_listen(const Judging& j, Findings& findings) {
  const Observation& seen = j.seen;
  if (seen.again_code == 0)
    return judge_works("the main thread's last listen", seen.again_works, seen.again_text.data(), findings);
  const std::string real = really_failed(j.library, j.evidence, {seen.again_first, seen.again_last});
  if (!real.empty()) return findings.unknown("in the main thread's last listen " + real);
  findings.wrong("the main thread's last listen returned " + code_name(seen.again_code));
}

// In a cold process the libraries cache descriptors on first use, which look like a leak.
void judge_descriptors(const Judging& j, Findings& findings) {
  if (j.experiment.start == Start::Cold) return;
  for (const auto& [kind, number] : gained_descriptors(j.seen.before, j.seen.end))
    findings.wrong(fmt::format("after the last shutdown {} x {} stayed open", number, kind));
  if (j.seen.before.cm_ids >= 0 && j.seen.end.cm_ids > j.seen.before.cm_ids)
    findings.wrong(fmt::format("after the last shutdown {} cm_ids stayed in the kernel",
                               j.seen.end.cm_ids - j.seen.before.cm_ids));
}

}  // namespace

void judge_threads(Judging& j) {
  const std::vector<Side> sides = sides_of(j);
  Findings findings;
  for (const Side& side : sides) {
    for (const ThreadRound& round : side.rounds())
      (side.has_rules() ? judge_faulted : judge_faultless)(side, round, findings);
  }
  for (const Side& side : sides) judge_what_is_left(side, findings);
  judge_last_listen(j, findings);
  judge_descriptors(j, findings);
  j.outcomes.push_back(findings.worst());
}

std::optional<ClauseOutcome> wrong_in_threads(const Judging& j) {
  Findings findings;
  for (const Side& side : sides_of(j))
    for (const ThreadRound& round : side.rounds())
      if (round.step >= Step::Called)
        (side.has_rules() ? judge_faulted : judge_faultless)(side, round, findings);
  const ClauseOutcome worst = findings.worst();
  return is_finding(worst.outcome.verdict()) ? std::optional(worst) : std::nullopt;
}

std::string stray_fault(const Judging& j) {
  for (const Side& side : sides_of(j))
    if (std::string text = stray_fault(side); !text.empty()) return text;
  return {};
}

std::string turn_at_the_end(const Judging& j) {
  for (const Side& side : sides_of(j)) {
    if (side.rounds().empty()) continue;
    const ThreadRound& last = side.rounds().back();
    if (is_at_work(last.step)) return fmt::format(" ({})", side.name(last));
  }
  return {};
}

std::vector<std::string> illegal_in_threads(const Judging& j) {
  std::vector<std::string> illegal;
  for (const Side& side : sides_of(j))
    if (const Ledger ledger = side.ledger(); !ledger.illegal.empty())
      illegal.push_back(
          fmt::format("{}: {}", side.name(), first_of(ledger.illegal.front(), ledger.illegal.size())));
  return illegal;
}

}  // namespace conformance
