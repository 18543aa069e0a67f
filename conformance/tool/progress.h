// SPDX-License-Identifier: BSD-3-Clause
//
// What a person sees while a run goes on. On a terminal: one line with counts and the time left. Elsewhere,
// and with --verbose: a line for each test. With --quiet: nothing.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "conformance/report/result.h"

namespace conformance {

class Progress {
 public:
  // `tests`: the ids of those that will run. `earlier`: what an earlier part of the run took.
  Progress(std::vector<std::string> tests, const std::vector<TestResult>& earlier);
  void begin(const std::string& test);
  void point(const PointResult& point);  // of the test that runs
  void end(const TestResult& test);
  void finish() const;

 private:
  struct Cost {
    size_t tests = 0;
    double seconds = 0;
  };
  void learn(const TestResult& test);
  [[nodiscard]] double expected(const std::string& test) const;
  [[nodiscard]] std::string time_left() const;
  void renew_line() const;

  std::vector<std::string> tests_;
  std::map<std::string, Cost> costs_;  // by test without its row, by group, and of all
  std::string test_;                   // that runs
  std::string points_of_test_;         // with --verbose
  size_t done_ = 0;
  size_t not_passed_ = 0;
  size_t points_ = 0;
  bool on_one_line_;
  std::chrono::steady_clock::time_point test_started_;
};

}  // namespace conformance
