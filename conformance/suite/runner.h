// SPDX-License-Identifier: BSD-3-Clause
//
// Runs the suite's tests under GoogleTest: selects them, announces their experiments to the pool in advance,
// judges the evidence and reports each result at once.
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "conformance/catalogue/profile.h"
#include "conformance/harness/pool.h"
#include "conformance/harness/symbols.h"
#include "conformance/report/result.h"
#include "conformance/suite/suite.h"

namespace conformance {

class SuiteRunner {
 public:
  struct Events {
    // Before the first experiment; `disturbs`: some will disturb the whole machine.
    std::function<void(std::vector<std::string> selected, bool disturbs)> started;
    std::function<void(const std::string& id)> test_started;
    std::function<void(const std::string& test, const PointResult&)> point_finished;
    std::function<void(const TestResult&)> test_finished;
  };

  // Adds the role of the driver library to `library`: only a control shows its name.
  SuiteRunner(Library& library, const Target& target, const Profile& profile, PoolOptions options,
              const Choice& choice, Events events);
  ~SuiteRunner();
  SuiteRunner(const SuiteRunner&) = delete;
  SuiteRunner& operator=(const SuiteRunner&) = delete;
  SuiteRunner(SuiteRunner&&) = delete;
  SuiteRunner& operator=(SuiteRunner&&) = delete;

  // Tests that have a result from an earlier part of the run: they are not run again.
  void leave_out(std::set<std::string> done) { done_ = std::move(done); }

  // Runs the tests that `filter` selects (GoogleTest's syntax: patterns with * and ?, separated by ':', those
  // to leave out after '-'). Returns how many were selected.
  size_t run(const std::string& filter, const std::string& shard = {});

  // The evidence of an ordinary control.
  const Evidence& ordinary();
  // The calls of the IUT in it.
  std::vector<Call> undisturbed_calls();
  [[nodiscard]] size_t experiments() const { return pool_.finished(); }
  [[nodiscard]] std::chrono::milliseconds timeout() const { return options_.timeout; }

  // For GoogleTest's side of this class (runner.cpp).
  void announce_selected();
  void run_test_or_keep_exception(size_t index);
  [[nodiscard]] const std::vector<Test>& tests() const { return tests_; }

 private:
  void run_test(size_t index);
  const Evidence* control_of(const Experiment& experiment);
  size_t announce(const Case& one);  // returns a ticket
  std::vector<ClauseOutcome> outcomes_of(const Case& one, const Evidence& evidence);
  void find_out_who_opened(const Case& one, std::vector<ClauseOutcome>& outcomes);
  void announce_control(const Experiment& experiment);
  const Evidence* control_if_done(const Experiment& experiment);
  void announce_ahead();
  [[nodiscard]] bool disturbs() const;
  void measure_controls();
  [[nodiscard]] bool on_mock() const { return library_.mock.begin != nullptr; }
  void set_aside(const std::string& point, const std::vector<std::string_view>& clauses,
                 const std::string& why, TestResult& result) const;
  void judge_case(const Case& one, const Evidence& evidence, TestResult& result);
  struct Sweep;
  Sweep& begin_sweep(size_t index, const Evidence& control);
  bool announce_next(Sweep& sweep);
  void announce_of_sweeps();
  void run_sweep(size_t index, TestResult& result);

  Library& library_;
  const Target& target_;
  PoolOptions options_;
  Choice choice_;
  Symbols symbols_;
  Pool pool_;
  Events events_;
  std::vector<Test> tests_;
  std::vector<std::vector<size_t>> tickets_;         // of each test's cases
  std::vector<size_t> selected_;                     // in the order in which they run
  std::map<size_t, std::unique_ptr<Sweep>> sweeps_;  // of tests that are running, or will
  std::set<std::string> done_;
  size_t chosen_ = 0;   // by filter and shard, those in done_ too
  size_t counted_ = 0;  // experiments, by the tests that ended
  size_t begun_ = 0;    // of them
  size_t announced_ = 0;
  bool all_passed_ = true;
  std::exception_ptr exception_;  // that ended the run
  std::map<std::string, size_t> control_tickets_;
  std::optional<size_t> awaited_control_;  // its ticket
  std::map<std::string, std::unique_ptr<Evidence>> controls_;
};

}  // namespace conformance
