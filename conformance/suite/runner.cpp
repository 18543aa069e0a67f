// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/suite/runner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "conformance/harness/conditions.h"
#include "conformance/harness/expectations.h"
#include "conformance/harness/features.h"
#include "conformance/harness/interruption.h"
#include "conformance/harness/ledger.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/report/timeline.h"
#include "conformance/suite/sweep.h"

namespace conformance {
namespace {

SuiteRunner* current = nullptr;

// One conformance test as GoogleTest sees it: the assertions are made on what the runner concluded.
class ConformanceTest : public testing::Test {
 public:
  explicit ConformanceTest(size_t index) : index_(index) {}
  void TestBody() override { current->run_test_or_keep_exception(index_); }

 private:
  size_t index_;
};

// GoogleTest's own printer is replaced: results go out through SuiteRunner::Events.
class AnnounceSelected : public testing::EmptyTestEventListener {
  void OnTestIterationStart(const testing::UnitTest&, int) override { current->announce_selected(); }
};

void register_tests() {
  for (size_t i = 0; i < current->tests().size(); ++i) {
    const Test& test = current->tests()[i];
    if (test.id() == kKernelTest) continue;  // judged by the run as a whole
    testing::RegisterTest(test.group.c_str(), test.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [i]() -> testing::Test* { return new ConformanceTest(i); });
  }
}

// GoogleTest's variables in the environment (shard, repetition, filter) would silently change what is tested.
void initialise_googletest(const std::string& filter, const std::string& shard) {
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"})
    unsetenv(variable);
  if (const size_t slash = shard.find('/'); slash != std::string::npos) {
    setenv("GTEST_SHARD_INDEX", std::to_string(std::stoul(shard) - 1).c_str(), 1);
    setenv("GTEST_TOTAL_SHARDS", shard.c_str() + slash + 1, 1);
  }
  GTEST_FLAG_SET(output, "");  // must be empty before GoogleTest opens a file
  int argc = 1;
  std::array<char, 17> name{"rpma-conformance"};
  std::array<char*, 2> argv{name.data(), nullptr};
  testing::InitGoogleTest(&argc, argv.data());
  GTEST_FLAG_SET(filter, filter);
  GTEST_FLAG_SET(repeat, 1);
  GTEST_FLAG_SET(shuffle, false);
  GTEST_FLAG_SET(fail_fast, false);
  GTEST_FLAG_SET(break_on_failure, false);
  GTEST_FLAG_SET(throw_on_failure, false);
  GTEST_FLAG_SET(list_tests, false);
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new AnnounceSelected);
}

Experiment ordinary_experiment() {
  return {listen_operation(), Start::Primed, Sentinel::Wild};
}

// Keeps each cause once, with its points: results of one clause, module and signature (or reason) are one. A
// pass beside them is dropped.
void add(TestResult& result, ClauseResult&& entry, const std::string& point) {
  const auto same = std::ranges::find_if(result.clauses, [&entry](const ClauseResult& other) {
    return std::tie(other.clause, other.verdict, other.module, other.signature) ==
           std::tie(entry.clause, entry.verdict, entry.module, entry.signature);
  });
  ClauseResult& kept = same == result.clauses.end() ? result.clauses.emplace_back(std::move(entry)) : *same;
  if (kept.verdict != Verdict::Pass) kept.points.push_back(point);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// Enough for all calls of a listen. A loop may make thousands; its first calls show it.
constexpr size_t kTimelineLines = 200;

// The end of a sweep and a retry are not points of their own.
constexpr int kAttempts = 3;  // at a point that the control reached and this run did not

}  // namespace

// The state of a sweep.
struct SuiteRunner::Sweep {
  struct UnderWay {
    Case one;
    size_t ticket;
  };
  bool control_works = false;
  std::unique_ptr<CaseSource> source;  // null if the control failed or no call can fail
  std::deque<UnderWay> under_way;
};

SuiteRunner::~SuiteRunner() = default;

SuiteRunner::SuiteRunner(Library& library, const Target& target, const Profile& profile, PoolOptions options,
                         const Choice& choice, Events events)
    : library_(library),
      target_(target),
      options_(options),
      choice_(choice),
      symbols_(library),
      pool_(library, target, options),
      events_(std::move(events)) {
  const unsigned provider = provider_named(target.provider);
  tests_ = all_tests();
  std::erase_if(tests_, [&](const Test& test) {
    return !test.runs_on(provider) || !profile.tests.contains(test.id());
  });
  tickets_.resize(tests_.size());
  pool_.when_idle([this] { announce_of_sweeps(); });
}

bool SuiteRunner::disturbs() const {
  return std::ranges::any_of(selected_, [this](size_t index) {
    return std::ranges::any_of(tests_[index].cases, [this](const Case& one) {
      const Condition* condition = find_condition(one.experiment.condition);
      return condition != nullptr && condition->disruptive && not_allowed(*condition, target_).empty();
    });
  });
}

size_t SuiteRunner::run(const std::string& filter, const std::string& shard) {
  current = this;
  initialise_googletest(filter, shard);
  register_tests();
  const bool googletest_passed = RUN_ALL_TESTS() == 0;
  current = nullptr;
  if (exception_) std::rethrow_exception(exception_);
  // GoogleTest's result must agree with the result of each test.
  if (googletest_passed != all_passed_)
    throw std::logic_error("GoogleTest and the suite's own verdicts disagree");
  return chosen_;
}

void SuiteRunner::announce_selected() {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      if (!suite.GetTestInfo(t)->should_run()) continue;
      const std::string id = fmt::format("{}.{}", suite.name(), suite.GetTestInfo(t)->name());
      const auto found = std::ranges::find(tests_, id, &Test::id);
      if (found == tests_.end()) continue;
      ++chosen_;
      if (!done_.contains(id)) selected_.push_back(static_cast<size_t>(found - tests_.begin()));
    }
  }
  std::vector<std::string> ids;
  for (const size_t index : selected_) ids.push_back(tests_[index].id());
  events_.started(std::move(ids), disturbs());
  if (selected_.empty()) return;
  try {
    measure_controls();
  } catch (const Interrupted&) {
  } catch (...) {
    exception_ = std::current_exception();
    return;
  }
}

// Announces some tests ahead, so that the pool has work while a test is judged or hangs. Not all: the
// experiments of a sweep would come after those of all other tests.
void SuiteRunner::announce_ahead() {
  constexpr size_t kTestsAhead = 16;
  for (; announced_ < std::min(selected_.size(), begun_ + kTestsAhead); ++announced_) {
    const size_t index = selected_[announced_];
    const Test& test = tests_[index];
    if (test.sweep && unsupported(test.sweep_control, target_).empty()) announce_control(test.sweep_control);
    for (const Case& one : test.cases) {
      if (!unsupported(one.experiment, target_).empty()) continue;
      if (one.experiment.is_disturbed()) announce_control(one.experiment);
      tickets_[index].push_back(announce(one));
    }
  }
}

// The first controls show the speed of this machine and the driver library of its device.
void SuiteRunner::measure_controls() {
  double slowest = 0;
  for (const Setting& setting : kSettings) {
    const Evidence& control = *control_of({listen_operation(), setting.start, setting.sentinel});
    slowest = std::max(slowest, control.observation.seconds);
    learn_driver(library_, control.modules);
  }
  if (options_.timeout.count() > 0) return;  // the user has set it
  constexpr double kControls = 40;           // the time-out is the time of this many of the slowest
  const auto scaled = std::chrono::milliseconds(static_cast<int64_t>(slowest * kControls * 1000));
  options_.timeout = std::clamp(kShortestTimeout + scaled, kShortestTimeout, kLongestTimeout);
  pool_.set_timeout(options_.timeout);
}

size_t SuiteRunner::announce(const Case& one) {
  Experiment experiment = one.experiment;
  experiment.must_succeed = one.expectation.promise == Promise::Success && experiment.rules.empty();
  return pool_.announce(std::move(experiment));
}

void SuiteRunner::announce_control(const Experiment& experiment) {
  const Experiment control = experiment.control();
  const std::string point = control.point();
  if (!control_tickets_.contains(point)) control_tickets_[point] = pool_.announce(control);
}

const Evidence* SuiteRunner::control_if_done(const Experiment& experiment) {
  const std::string point = experiment.control().point();
  const auto ticket = control_tickets_.find(point);
  if (ticket == control_tickets_.end() || ticket->second == awaited_control_) return nullptr;
  std::unique_ptr<Evidence>& control = controls_[point];
  if (!control) control = pool_.take(ticket->second);
  return control.get();
}

const Evidence* SuiteRunner::control_of(const Experiment& experiment) {
  const std::string point = experiment.control().point();
  std::unique_ptr<Evidence>& control = controls_[point];
  if (!control) {
    announce_control(experiment);
    awaited_control_ = control_tickets_.at(point);
    control = pool_.await(*awaited_control_);
    awaited_control_.reset();
  }
  return control.get();
}

std::vector<Call> SuiteRunner::undisturbed_calls() {
  const Evidence& control = ordinary();
  std::vector<Call> calls;
  for (const rdmafault_record& record : control.call_under_test()) {
    const rdmafault_function& function = function_of(record);
    const std::string role = role_of(library_, control, record);
    const bool is_the_libraries_own = function.kind == RDMAFAULT_ALLOCATOR && role != "iut";
    if (is_the_libraries_own || function.kind == RDMAFAULT_SYSTEM_CALL) continue;
    calls.push_back({function.name, role, record.depth, result_in_words(record),
                     caller_in_words(record, control, symbols_)});
  }
  return calls;
}

const Evidence& SuiteRunner::ordinary() {
  return *control_of(ordinary_experiment());
}

// GoogleTest would treat an exception as a failed assertion and continue.
void SuiteRunner::run_test_or_keep_exception(size_t index) {
  if (exception_ || !interruption().empty() || done_.contains(tests_[index].id())) return;
  try {
    run_test(index);
  } catch (const Interrupted&) {  // the test is incomplete and counts as not run
  } catch (...) {
    exception_ = std::current_exception();
  }
}

void SuiteRunner::run_test(size_t index) {
  const Test& test = tests_[index];
  const auto begin = std::chrono::steady_clock::now();
  TestResult result;
  result.id = test.id();
  result.what = test.what;
  ++begun_;
  announce_ahead();
  events_.test_started(result.id);
  if (const std::string why = test.sweep ? unsupported(test.sweep_control, target_) : ""; !why.empty())
    set_aside(test.sweep_control.point(), clauses_of(test, on_mock()), why, result);
  else if (test.sweep)
    run_sweep(index, result);
  size_t announced = 0;
  for (const Case& one : test.cases) {
    if (const std::string why = unsupported(one.experiment, target_); !why.empty())
      set_aside(one.experiment.point(), clauses_judged(one.expectation, on_mock()), why, result);
    else
      judge_case(one, *pool_.await(tickets_[index][announced++]), result);
  }

  const Outcome outcome = outcome_of(result.clauses);
  result.verdict = outcome.verdict();
  result.reason = outcome.passed() ? "" : outcome.reason();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.experiments = pool_.finished() - counted_;
  counted_ = pool_.finished();
  all_passed_ = all_passed_ && result.verdict == Verdict::Pass;
  events_.test_finished(result);
  EXPECT_EQ(name_of(result.verdict), name_of(Verdict::Pass)) << result.reason;
}

void SuiteRunner::set_aside(const std::string& point, const std::vector<std::string_view>& clauses,
                            const std::string& why, TestResult& result) const {
  for (const std::string_view clause : clauses)
    add(result, {std::string(clause), Verdict::Unsupported, why, "", why}, point);
  ++result.points;
  events_.point_finished(result.id, {point, Verdict::Unsupported, why, "", 0});
}

std::vector<ClauseOutcome> SuiteRunner::outcomes_of(const Case& one, const Evidence& evidence) {
  const Evidence* control = one.experiment.is_disturbed() ? control_of(one.experiment) : nullptr;
  const Expectation expectation =
      one.ruled_by_first_fault ? ruled_by_first_fault(library_, evidence) : one.expectation;
  return judge(library_, one.experiment, expectation, evidence, control);
}

// The experiment is repeated with the system calls recorded: they show which module opened the descriptors
// that are left.
void SuiteRunner::find_out_who_opened(const Case& one, std::vector<ClauseOutcome>& outcomes) {
  constexpr std::array<std::string_view, 2> kClauses = {"LISTEN-LEAK-3", "LISTEN-LEAK-5"};
  const auto is_about = [&kClauses](const ClauseOutcome& outcome) {
    return is_finding(outcome.outcome.verdict()) && outcome.module != "iut" &&
           std::ranges::find(kClauses, outcome.clause) != kClauses.end();
  };
  if (one.experiment.sees_system_calls() || std::ranges::none_of(outcomes, is_about)) return;
  Case watched = one;
  watched.experiment.watch_system_calls = true;
  const std::unique_ptr<Evidence> evidence = pool_.await(announce(watched));
  for (const ClauseOutcome& again : outcomes_of(watched, *evidence))
    for (ClauseOutcome& outcome : outcomes)
      if (is_about(outcome) && outcome.clause == again.clause && is_finding(again.outcome.verdict()))
        outcome.module = again.module;
}

void SuiteRunner::judge_case(const Case& one, const Evidence& evidence, TestResult& result) {
  std::vector<ClauseOutcome> outcomes = outcomes_of(one, evidence);
  find_out_who_opened(one, outcomes);
  const Observation& seen = evidence.observation;
  PointResult point{one.experiment.point(), Verdict::Pass, "", "", seen.seconds};
  const auto injected = std::ranges::find_if(
      evidence.records, [](const auto& record) { return (record.flags & RDMAFAULT_INJECTED) != 0; });
  if (injected != evidence.records.end()) {
    point.function = function_of(*injected).name;
    point.role = role_of(library_, evidence, *injected);
    point.at = caller_in_words(*injected, evidence, symbols_);
  }
  for (const ClauseOutcome& outcome : outcomes) {
    const Verdict verdict = outcome.outcome.verdict();
    ClauseResult entry{std::string(outcome.clause), verdict, outcome.outcome.reason(), outcome.module};
    if (is_finding(verdict)) {
      entry.timeline = lines_of(timeline(library_, evidence, symbols_, {}));
      if (entry.timeline.size() > kTimelineLines) entry.timeline.resize(kTimelineLines);
    }
    const bool has_stack = (verdict == Verdict::Crash || verdict == Verdict::Hang) && seen.frames > 0;
    if (has_stack) entry.stack = symbols_.stack_of(seen);
    if (verdict != Verdict::Pass)
      entry.signature = has_stack ? symbols_.signature_of(seen, entry.module) : entry.reason;
    if (verdict < point.verdict) {
      point.verdict = verdict;
      point.reason = fmt::format("{}: {}", entry.clause, entry.reason);
      point.module = entry.module;
    }
    add(result, std::move(entry), point.point);
  }
  ++result.points;
  events_.point_finished(result.id, point);
}

SuiteRunner::Sweep& SuiteRunner::begin_sweep(size_t index, const Evidence& control) {
  const Test& test = tests_[index];
  Sweep& sweep = *(sweeps_[index] = std::make_unique<Sweep>());
  sweep.control_works = control.observation.returned != 0 && control.observation.code == 0;
  if (sweep.control_works) sweep.source = test.sweep({library_, test.sweep_control, control, choice_});
  return sweep;
}

// False if there is none now.
bool SuiteRunner::announce_next(Sweep& sweep) {
  std::optional<Case> one = sweep.source ? sweep.source->next() : std::nullopt;
  if (!one) return false;
  const size_t ticket = announce(*one);
  sweep.under_way.push_back({std::move(*one), ticket});
  return true;
}

// Gives an idle pool one more experiment: of the sweep that runs, then of the next sweeps, since the running
// one may wait for a hung experiment. The order within a sweep stays the same.
void SuiteRunner::announce_of_sweeps() {
  for (size_t position = std::max<size_t>(begun_, 1) - 1; position < announced_; ++position) {
    const size_t index = selected_[position];
    if (!tests_[index].sweep || !unsupported(tests_[index].sweep_control, target_).empty()) continue;
    auto sweep = sweeps_.find(index);
    if (sweep == sweeps_.end()) {
      const Evidence* control = control_if_done(tests_[index].sweep_control);
      if (control == nullptr) continue;
      begin_sweep(index, *control);
      sweep = sweeps_.find(index);
    }
    if (announce_next(*sweep->second)) return;
  }
}

void SuiteRunner::run_sweep(size_t index, TestResult& result) {
  const Test& test = tests_[index];
  const Evidence& control = *control_of(test.sweep_control);
  Sweep& sweep = sweeps_.contains(index) ? *sweeps_.at(index) : begin_sweep(index, control);
  if (!sweep.source) {
    const Outcome outcome = sweep.control_works
                                ? Outcome::of(Verdict::Unreached, "nothing is called there that could fail")
                                : Outcome::of(Verdict::Broken, "the control did not succeed");
    for (const std::string_view clause : clauses_of(test, on_mock()))
      add(result, {std::string(clause), outcome.verdict(), outcome.reason(), "", outcome.reason()},
          test.sweep_control.point());
    return;
  }
  if (control.observation.call_last > 0 && test.sweep_control.watch_system_calls) {
    if (const std::string calls = calls_that_cannot_fail(control); !calls.empty())
      result.notes.push_back("made, but not made to fail: " + calls);
    if (control.uncovered > 0)
      result.notes.push_back(fmt::format(
          "the shim lost sight of system calls {} times, after new threads or processes", control.uncovered));
    result.notes.emplace_back("not seen: system calls of other threads, and what the vDSO answers by itself");
  }
  while (!sweep.under_way.empty() || announce_next(sweep)) {
    const Sweep::UnderWay first = std::move(sweep.under_way.front());
    sweep.under_way.pop_front();
    std::unique_ptr<Evidence> evidence = pool_.await(first.ticket);
    // The control made this call. A run may take another path (a retry, a cache) and not make it: it is
    // repeated.
    for (int attempt = 1; attempt < kAttempts && first.one.ruled_by_first_fault &&
                          evidence->observation.phase == Phase::Done &&
                          !not_as_asked(first.one.experiment, {}, *evidence).empty();
         ++attempt)
      evidence = pool_.await(announce(first.one));
    sweep.source->seen(first.one, *evidence);
    const bool goes_on = first.one.expectation.fires_nothing && evidence->observation.rules[0].fired > 0;
    if (!goes_on) judge_case(first.one, *evidence, result);
  }
  sweep.source.reset();  // frees its memory
}

}  // namespace conformance
