// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/suite/runner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "conformance/harness/listen_operation.h"

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

// Whatever the environment asks of GoogleTest (a shard, a repetition, a filter) would silently change what a
// verdict is about.
void initialise_googletest(const std::string& filter) {
  for (const char* variable : {"GTEST_TOTAL_SHARDS", "GTEST_SHARD_INDEX", "GTEST_SHARD_STATUS_FILE"})
    unsetenv(variable);
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

bool needs_control(const Experiment& experiment) {
  return !experiment.rules.empty() || !experiment.script.empty() || !experiment.operation->should_succeed();
}

Experiment ordinary_experiment() {
  return {listen_operation(), Start::Primed, Sentinel::Wild, {}, {}};
}

// Keeps the worst result of each clause and accused module, and beside the findings the worst of what is
// none: that something was not concluded must not vanish behind a finding. The first of equals stays.
void add(TestResult& result, const ClauseOutcome& outcome, const std::string& point) {
  const Verdict verdict = outcome.outcome.verdict();
  const auto same = std::ranges::find_if(result.clauses, [&outcome, verdict](const ClauseResult& clause) {
    return clause.clause == outcome.clause && is_finding(clause.verdict) == is_finding(verdict) &&
           (!is_finding(verdict) || clause.module == outcome.module);
  });
  ClauseResult entry{std::string(outcome.clause), verdict, outcome.outcome.reason(), outcome.module, point};
  if (verdict == Verdict::Pass) entry.point.clear();
  if (same == result.clauses.end()) {
    result.clauses.push_back(std::move(entry));
  } else if (verdict < same->verdict) {
    *same = std::move(entry);
  }
}

}  // namespace

SuiteRunner::SuiteRunner(const Library& library, const Target& target, PoolOptions options, Events events)
    : library_(library), pool_(library, target, options), events_(std::move(events)) {
  const unsigned provider = provider_named(target.provider);
  tests_ = all_tests();
  std::erase_if(tests_, [provider](const Test& test) { return !test.runs_on(provider); });
  tickets_.resize(tests_.size());
}

size_t SuiteRunner::run(const std::string& filter) {
  current = this;
  initialise_googletest(filter);
  register_tests();
  const bool googletest_passed = RUN_ALL_TESTS() == 0;
  current = nullptr;
  if (exception_) std::rethrow_exception(exception_);
  // Each test's own result says more than GoogleTest's, but the two must agree.
  if (googletest_passed != all_passed_)
    throw std::logic_error("GoogleTest and the suite's own verdicts disagree");
  return selected_.size();
}

void SuiteRunner::announce_selected() {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      if (!suite.GetTestInfo(t)->should_run()) continue;
      const std::string id = fmt::format("{}.{}", suite.name(), suite.GetTestInfo(t)->name());
      const auto found = std::ranges::find(tests_, id, &Test::id);
      if (found != tests_.end()) selected_.push_back(static_cast<size_t>(found - tests_.begin()));
    }
  }
  events_.started(selected_.size());
  if (selected_.empty()) return;
  announce_control(ordinary_experiment());
  for (const size_t index : selected_) {
    const Test& test = tests_[index];
    if (test.sweep) announce_control(test.sweep_control);
    for (const Case& one : test.cases) {
      if (needs_control(one.experiment)) announce_control(one.experiment);
      tickets_[index].push_back(pool_.announce(one.experiment));
    }
  }
}

void SuiteRunner::announce_control(const Experiment& experiment) {
  const Experiment control = experiment.control();
  const std::string point = control.point();
  if (!control_tickets_.contains(point)) control_tickets_[point] = pool_.announce(control);
}

const Evidence* SuiteRunner::control_of(const Experiment& experiment) {
  const std::string point = experiment.control().point();
  std::unique_ptr<Evidence>& control = controls_[point];
  if (!control) {
    announce_control(experiment);
    control = pool_.await(control_tickets_.at(point));
  }
  return control.get();
}

const Evidence& SuiteRunner::ordinary() {
  return *control_of(ordinary_experiment());
}

// GoogleTest would take an exception for a failed assertion and go on.
void SuiteRunner::run_test_or_keep_exception(size_t index) {
  if (exception_) return;
  try {
    run_test(index);
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
  events_.test_started(result.id);
  if (test.sweep) run_sweep(test, result);
  for (size_t i = 0; i < test.cases.size(); ++i)
    judge_case(test.cases[i], *pool_.await(tickets_[index][i]), result);

  Aggregate worst;
  for (const ClauseResult& clause : result.clauses)
    worst.add(clause.verdict == Verdict::Pass
                  ? Outcome::pass()
                  : Outcome::of(clause.verdict, fmt::format("{}: {}", clause.clause, clause.reason)));
  result.verdict = worst.outcome().verdict();
  result.reason = worst.outcome().reason();
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  all_passed_ = all_passed_ && result.verdict == Verdict::Pass;
  events_.test_finished(result);
  EXPECT_EQ(name_of(result.verdict), name_of(Verdict::Pass)) << result.reason;
}

void SuiteRunner::judge_case(const Case& one, const Evidence& evidence, TestResult& result) {
  const Evidence* control = needs_control(one.experiment) ? control_of(one.experiment) : nullptr;
  const std::string point = one.experiment.point();
  result.points.push_back(point);
  for (const ClauseOutcome& outcome : judge(library_, one.experiment, one.expectation, evidence, control))
    add(result, outcome, point);
}

void SuiteRunner::run_sweep(const Test& test, TestResult& result) {
  const Evidence& control = *control_of(test.sweep_control);
  const std::vector<Case> cases = test.sweep(library_, control);
  if (cases.empty()) {
    const std::string point = test.sweep_control.point();
    const Outcome outcome =
        control.observation.returned != 0 && control.observation.code == 0
            ? Outcome::of(Verdict::Unreached, "the listener makes no allocation of its own")
            : Outcome::of(Verdict::Broken, "the control did not succeed");
    for (const std::string_view clause : clauses_of(test, library_.mock.begin != nullptr))
      add(result, {clause, outcome, ""}, point);
    return;
  }
  std::vector<size_t> tickets;
  tickets.reserve(cases.size());
  for (const Case& one : cases) tickets.push_back(pool_.announce(one.experiment));
  for (size_t i = 0; i < cases.size(); ++i) judge_case(cases[i], *pool_.await(tickets[i]), result);
}

}  // namespace conformance
