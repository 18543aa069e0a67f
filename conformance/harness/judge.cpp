// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/judge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <optional>

#include "conformance/harness/attribution.h"
#include "conformance/harness/codes.h"
#include "conformance/harness/holdings.h"
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
constexpr PhaseRow kPhases[] = {
    {Phase::Call, "in the call under test", "LISTEN-RET-1", "LISTEN-RET-2"},
    {Phase::Use, "while the endpoint was used", "LISTEN-USE-1", "LISTEN-USE-1"},
    {Phase::Undo, "while the endpoint was given back", "LISTEN-LEAK-5", "LISTEN-LEAK-5"},
    {Phase::Again, "in the call after the failure", "LISTEN-AGAIN-1", "LISTEN-AGAIN-1"},
    {Phase::Teardown, "while everything else was given back", "LISTEN-LEAK-5", "LISTEN-AGAIN-1"},
};

class Judge {
 public:
  Judge(const Library& library, const Experiment& experiment, const Expectation& expectation,
        const Evidence& evidence, const Evidence* control)
      : library_(library),
        experiment_(experiment),
        expectation_(expectation),
        evidence_(evidence),
        seen_(evidence.observation),
        control_(control) {}

  std::vector<ClauseOutcome> all() {
    if (std::optional<Outcome> worthless = no_evidence()) return on_all(*worthless);
    if (accuse_the_dead()) return std::move(outcomes_);
    if (std::optional<Outcome> unproven = no_proof()) return on_all(*unproven);
    if (expectation_.success)
      judge_success();
    else
      judge_failure();
    judge_legality();
    return std::move(outcomes_);
  }

 private:
  std::vector<ClauseOutcome> on_all(const Outcome& outcome) {
    std::vector<ClauseOutcome> same;
    for (const std::string_view clause : clauses_judged(expectation_, on_mock()))
      same.push_back({clause, outcome, ""});
    return same;
  }

  [[nodiscard]] bool on_mock() const { return library_.mock.begin != nullptr; }

  void pass(std::string_view clause) { outcomes_.push_back({clause, Outcome::pass(), ""}); }
  void fail(std::string_view clause, std::string reason, std::string module = "iut") {
    outcomes_.push_back({clause, Outcome::of(Verdict::Fail, std::move(reason)), std::move(module)});
  }
  void demand(std::string_view clause, bool met, const std::string& reason) {
    if (met)
      pass(clause);
    else
      fail(clause, reason);
  }

  // Our own set-up failed: nothing can be said of anybody.
  std::optional<Outcome> no_evidence() {
    const auto broken = [](std::string text) { return Outcome::of(Verdict::Broken, std::move(text)); };
    if (!evidence_.child_error.empty()) return broken(evidence_.child_error);
    if (seen_.broken[0] != '\0') return broken(seen_.broken.data());
    // A child that hung may have called without end: what it did before is enough to accuse it.
    for (const Holdings* holdings : {&seen_.before, &seen_.after, &seen_.end})
      if (holdings->count > holdings->descriptors.size())
        return broken(
            fmt::format("the process had {} descriptors, more than can be compared", holdings->count));
    if (evidence_.dropped > 0 && seen_.phase == Phase::Done)
      return broken(fmt::format("the shim's log had no room for {} calls", evidence_.dropped));
    const bool ours =
        seen_.phase == Phase::Born || seen_.phase == Phase::Prepare || seen_.phase == Phase::After;
    if (ours && seen_.timed_out != 0)
      return broken("the set-up of the experiment did not return in time; --timeout");
    if (ours) return broken(fmt::format("the process ended in our set-up: {}", how_it_ended()));
    if (seen_.signal != 0 && seen_.timed_out == 0 && !is_crash_signal(seen_.signal))
      return broken(fmt::format("the process was ended from outside: {}", strsignal(seen_.signal)));
    for (const rdmafault_record& record : evidence_.records) {
      const rdmafault_function& function = functions_[record.function];
      if ((record.flags & RDMAFAULT_FOREIGN) != 0 && function.kind == RDMAFAULT_PROVIDER &&
          !a_rule_is_for_all_threads())
        return broken(fmt::format("another thread called {} meanwhile", function.name));
    }
    return control_verdict();
  }

  [[nodiscard]] bool a_rule_is_for_all_threads() const {
    return std::ranges::any_of(experiment_.rules,
                               [](const Rule& rule) { return rule.parsed.any_thread != 0; });
  }

  std::optional<Outcome> control_verdict() {
    if (control_ == nullptr) return std::nullopt;
    const Observation& control = control_->observation;
    std::string why;
    if (!control_->child_error.empty())
      why = control_->child_error;
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
    else if (!iut_asks_the_provider(library_, *control_))
      why = "the shim saw the IUT call no provider function: no fault could reach it";
    if (why.empty()) return std::nullopt;
    return Outcome::of(Verdict::Broken, "the control did not succeed: " + why);
  }

  [[nodiscard]] std::string how_it_ended() const {
    if (seen_.thrown[0] != '\0')
      return fmt::format("an exception left a C function: {}", seen_.thrown.data());
    if (seen_.signal != 0) return fmt::format("{} at {}", strsignal(seen_.signal), show(seen_.at));
    return fmt::format("exit status {}", seen_.status);
  }

  // A child that died or did not return, in a phase in which that is somebody's fault.
  bool accuse_the_dead() {
    if (seen_.phase == Phase::Done) return false;
    const auto* const row = std::ranges::find(kPhases, seen_.phase, &PhaseRow::phase);
    const std::string_view clause = expectation_.success ? row->clause_on_success : row->clause_on_failure;
    if (seen_.timed_out != 0) {
      outcomes_.push_back(
          {clause, Outcome::of(Verdict::Hang, fmt::format("did not return {}{}", row->doing, where_stuck())),
           module_that_hangs(library_, evidence_)});
    } else {
      outcomes_.push_back(
          {clause,
           Outcome::of(Verdict::Crash, fmt::format("the process ended {}: {}", row->doing, how_it_ended())),
           module_that_crashed(library_, evidence_)});
    }
    const std::vector<std::string> illegal = misuse_before_the_end(library_, evidence_);
    if (!illegal.empty()) fail("LISTEN-LEGAL-1", fmt::format("{}", fmt::join(illegal, "; ")));
    // Of the rest nothing is known, and whoever is not accused has not passed either.
    for (const std::string_view other : clauses_judged(expectation_, on_mock()))
      if (std::ranges::find(outcomes_, other, &ClauseOutcome::clause) == outcomes_.end())
        outcomes_.push_back(
            {other,
             Outcome::of(Verdict::Unreached, fmt::format("the process did not come through {}", row->doing)),
             ""});
    return true;
  }

  [[nodiscard]] std::string where_stuck() const {
    return seen_.stuck.address == 0 ? "" : ", stuck at " + show(seen_.stuck);
  }

  std::optional<Outcome> no_proof() {
    if (const std::string text = not_as_asked(experiment_, expectation_, evidence_); !text.empty())
      return Outcome::of(Verdict::Unreached, text);
    return std::nullopt;
  }

  // ---- what success and failure promise ----

  void judge_success() {
    if (const std::string real = really_failed(library_, evidence_, {seen_.call_first, seen_.call_last});
        seen_.code != 0 && !real.empty())
      return cannot_tell("LISTEN-RET-1", real);
    demand("LISTEN-RET-1", seen_.code == 0,
           "returned " + code_name(seen_.code) + " though nothing failed underneath");
    if (seen_.code != 0) return;
    const bool given = seen_.out_after != 0 && seen_.out_after != seen_.out_before;
    demand("LISTEN-EPPTR-2", given, "returned 0, but *ep_ptr holds no new endpoint");
    if (given) demand_works("LISTEN-USE-1", seen_.works, seen_.use_text.data());
    judge_what_was_asked_for();
    if (given) judge_what_came_back();
  }

  void cannot_tell(std::string_view clause, std::string reason) {
    outcomes_.push_back({clause, Outcome::of(Verdict::Broken, std::move(reason)), ""});
  }

  void demand_works(std::string_view clause, Works works, const char* text) {
    if (works == Works::Unknown)
      cannot_tell(clause, text[0] != '\0' ? text : "the endpoint was not put to use");
    else
      demand(clause, works == Works::Yes, text);
  }

  void judge_what_was_asked_for() {
    const rdmafault_record* id = iut_call("rdma_create_id");
    const rdmafault_record* resolved = iut_call("rdma_getaddrinfo");
    const auto unreached = [this](std::string_view clause, std::string_view function) {
      outcomes_.push_back(
          {clause, Outcome::of(Verdict::Unreached, fmt::format("the listener never called {}", function)),
           ""});
    };
    if (id == nullptr) {
      unreached("LISTEN-USE-2", "rdma_create_id");
    } else {
      const int64_t space = argument(*id, "port_space");
      demand("LISTEN-USE-2", space == RDMA_PS_TCP, fmt::format("asked for port space {:#x}", space));
    }
    if (resolved == nullptr) {
      unreached("LISTEN-USE-3", "rdma_getaddrinfo");
      unreached("LISTEN-USE-4", "rdma_getaddrinfo");
      return;
    }
    // rdma_getaddrinfo(3) lets either of the two be left 0; what is set must say the same.
    const int64_t type = argument(*resolved, "qp_type");
    const int64_t space = argument(*resolved, "port_space");
    demand("LISTEN-USE-3",
           (type == IBV_QPT_RC || type == 0) && (space == RDMA_PS_TCP || space == 0) && type + space != 0,
           fmt::format("the hints ask for QP type {} and port space {:#x}", type, space));
    demand("LISTEN-USE-4", (argument(*resolved, "flags") & RAI_PASSIVE) != 0, "the hints lack RAI_PASSIVE");
  }

  void judge_what_came_back() {
    if (seen_.undone == 0) return;
    const Ledger ledger = settle(library_, evidence_, {call_window(), {seen_.undo_first, seen_.undo_last}});
    std::vector<std::string> left = ledger.handles_left;
    left.insert(left.end(), ledger.blocks_left.begin(), ledger.blocks_left.end());
    if (seen_.undo_code != 0) left.push_back("rpma_ep_shutdown returned " + code_name(seen_.undo_code));
    // A cold process keeps what the libraries cache on first use; nothing tells that from a leak here.
    if (experiment_.start != Start::Cold) {
      const std::vector<std::string> more = gained(seen_.before, seen_.end);
      left.insert(left.end(), more.begin(), more.end());
      if (seen_.end.cm_ids > seen_.before.cm_ids)
        left.push_back(fmt::format("{} cm_ids in the kernel", seen_.end.cm_ids - seen_.before.cm_ids));
    }
    demand("LISTEN-LEAK-5", left.empty(),
           fmt::format("after the shutdown there remained: {}", fmt::join(left, "; ")));
  }

  void judge_failure() {
    const std::string got =
        seen_.code == 0 ? "returned 0, as if it had succeeded" : "returned " + code_name(seen_.code);
    demand("LISTEN-RET-2", seen_.code < 0, got + ", which is not negative");
    for (const std::string_view clause : expectation_.code_clauses)
      demand(clause, seen_.code == expectation_.code,
             got + " where " + code_name(expectation_.code) + " is due");
    if (expectation_.asks_nothing) judge_silence();
    if (seen_.has_out != 0) judge_stores();
    judge_leaks();
    judge_again();
  }

  void judge_silence() {
    for (uint32_t i = seen_.call_first; i < seen_.call_last; ++i) {
      const rdmafault_function& function = functions_[evidence_.records[i].function];
      if (function.kind != RDMAFAULT_PROVIDER) continue;
      fail("LISTEN-INVAL-5", fmt::format("called {} all the same", function.name));
      return;
    }
    pass("LISTEN-INVAL-5");
  }

  void judge_stores() {
    if (seen_.code == 0) return;  // a success may store; that it succeeded is judged elsewhere
    if (seen_.stores == 0 && seen_.out_after == seen_.out_before) return pass("LISTEN-EPPTR-1");
    if (seen_.stores == 0)
      return fail("LISTEN-EPPTR-1", "*ep_ptr changed, by a store that the guard did not see");
    const Store& store = seen_.store[0];
    const bool undone = seen_.out_after == seen_.out_before;
    const std::string role = role_of(library_, store.by.file.data());
    fail("LISTEN-EPPTR-1",
         fmt::format("{} stored {} to *ep_ptr{} ({} before the call)", show(store.by), sort_of(store.after),
                     undone ? " and it was put back" : "", name_of(experiment_.sentinel)),
         is_suspect(role) ? role : "iut");
  }

  static std::string sort_of(uint64_t value) { return value == 0 ? "NULL" : "a pointer"; }

  void judge_leaks() {
    if (seen_.code == 0) return;  // wrongly successful: what it holds is not a leak
    const Ledger ledger = settle(library_, evidence_, {call_window()});
    demand("LISTEN-LEAK-1", ledger.handles_left.empty(),
           fmt::format("not released: {}", fmt::join(ledger.handles_left, "; ")));
    demand("LISTEN-LEAK-2", ledger.blocks_left.empty(),
           fmt::format("not freed: {}", fmt::join(ledger.blocks_left, "; ")));
    const std::vector<std::string> descriptors = unexplained_descriptors();
    demand("LISTEN-LEAK-3", descriptors.empty(), fmt::format("left open: {}", fmt::join(descriptors, "; ")));
    if (!on_mock()) judge_kernel_cm_ids();
  }

  void judge_kernel_cm_ids() {
    const Observation* control = control_ != nullptr ? &control_->observation : nullptr;
    if (control == nullptr || control->after.cm_ids != control->before.cm_ids + 1 ||
        seen_.before.cm_ids < 0 || seen_.after.cm_ids < 0) {
      outcomes_.push_back(
          {"LISTEN-LEAK-4",
           Outcome::of(Verdict::Unsupported, "this kernel does not list the cm_id of a listener that works"),
           ""});
      return;
    }
    demand("LISTEN-LEAK-4", seen_.after.cm_ids == seen_.before.cm_ids,
           fmt::format("the kernel lists {} cm_ids of this process, {} before the call", seen_.after.cm_ids,
                       seen_.before.cm_ids));
  }

  void judge_again() {
    if (seen_.code == 0) return;
    const std::string real = really_failed(library_, evidence_, {seen_.again_first, seen_.again_last});
    if (seen_.again_code != 0 && !real.empty())
      return cannot_tell("LISTEN-AGAIN-1", "in the next call " + real);
    if (seen_.again_code != 0)
      return fail("LISTEN-AGAIN-1",
                  "the next call, without a fault, returned " + code_name(seen_.again_code));
    demand_works("LISTEN-AGAIN-1", seen_.again_works, seen_.again_text.data());
  }

  void judge_legality() {
    std::vector<Window> windows = {call_window()};
    if (seen_.undone != 0) windows.push_back({seen_.undo_first, seen_.undo_last});
    std::vector<std::string> illegal = settle(library_, evidence_, windows).illegal;
    if (seen_.mock.failures != 0) {
      std::string text = seen_.mock.text;
      std::ranges::replace(text, '\n', ';');
      illegal.push_back(fmt::format("the mock saw {} broken expectations: {}", seen_.mock.failures, text));
    }
    demand("LISTEN-LEGAL-1", illegal.empty(), fmt::format("{}", fmt::join(illegal, "; ")));
  }

  // ---- readings ----

  [[nodiscard]] Window call_window() const { return {seen_.call_first, seen_.call_last}; }

  // The first call of a function that the IUT itself made, under test.
  [[nodiscard]] const rdmafault_record* iut_call(std::string_view name) const {
    for (uint32_t i = seen_.call_first; i < seen_.call_last; ++i) {
      const rdmafault_record& record = evidence_.records[i];
      if (name == functions_[record.function].name && role_of(library_, evidence_, record) == "iut")
        return &record;
    }
    return nullptr;
  }

  [[nodiscard]] int64_t argument(const rdmafault_record& record, std::string_view name) const {
    const rdmafault_function& function = functions_[record.function];
    for (size_t i = 0; i < RDMAFAULT_MAX_ARGS; ++i)
      if (function.args[i] != nullptr && name == function.args[i]) return record.args[i];
    return 0;
  }

  static std::vector<std::string> gained(const Holdings& before, const Holdings& after) {
    std::vector<std::string> texts;
    for (const auto& [kind, number] : gained_descriptors(before, after))
      texts.push_back(fmt::format("{} x {}", number, kind));
    return texts;
  }

  // What a cold control still has open after it gave everything back is the libraries' cache, and a failed
  // call in a cold process may have filled it too. Elsewhere the cache is filled already, and nothing excuses
  // a descriptor.
  [[nodiscard]] std::vector<std::string> unexplained_descriptors() const {
    std::map<std::string, int> more = gained_descriptors(seen_.before, seen_.after);
    if (experiment_.start == Start::Cold && control_ != nullptr)
      for (const auto& [kind, number] :
           gained_descriptors(control_->observation.before, control_->observation.end))
        if (const auto found = more.find(kind); found != more.end()) found->second -= number;
    std::vector<std::string> texts;
    for (const auto& [kind, number] : more)
      if (number > 0) texts.push_back(fmt::format("{} x {}", number, kind));
    return texts;
  }

  const Library& library_;
  const Experiment& experiment_;
  const Expectation& expectation_;
  const Evidence& evidence_;
  const Observation& seen_;
  const Evidence* control_;
  size_t count_ = 0;
  const rdmafault_function* functions_ = rdmafault_functions(&count_);
  std::vector<ClauseOutcome> outcomes_;
};

}  // namespace

std::vector<std::string_view> clauses_judged(const Expectation& expectation, bool mock) {
  if (expectation.success)
    return {"LISTEN-RET-1", "LISTEN-EPPTR-2", "LISTEN-USE-1",  "LISTEN-USE-2",
            "LISTEN-USE-3", "LISTEN-USE-4",   "LISTEN-LEAK-5", "LISTEN-LEGAL-1"};
  std::vector<std::string_view> ids = {"LISTEN-RET-2",  "LISTEN-EPPTR-1", "LISTEN-LEAK-1", "LISTEN-LEAK-2",
                                       "LISTEN-LEAK-3", "LISTEN-AGAIN-1", "LISTEN-LEGAL-1"};
  if (!mock) ids.emplace_back("LISTEN-LEAK-4");
  if (expectation.asks_nothing) ids.emplace_back("LISTEN-INVAL-5");
  ids.insert(ids.end(), expectation.code_clauses.begin(), expectation.code_clauses.end());
  return ids;
}

std::vector<ClauseOutcome> judge(const Library& library, const Experiment& experiment,
                                 const Expectation& expectation, const Evidence& evidence,
                                 const Evidence* control) {
  return Judge(library, experiment, expectation, evidence, control).all();
}

}  // namespace conformance
