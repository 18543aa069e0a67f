// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "conformance/tool/output.h"

namespace conformance {
namespace {

constexpr const char* kClearLine = "\r\033[K";

// Tests that take about as long, the most alike first: rows of one test, tests of one group, all.
std::vector<std::string> kinds_of(const std::string& test) {
  return {test.substr(0, test.find('/')), test.substr(0, test.find('.')), ""};
}

std::string in_words(double seconds) {
  const auto whole = std::lround(seconds);
  return whole < 120 ? fmt::format("{} s", whole) : fmt::format("{} min", (whole + 30) / 60);
}

}  // namespace

Progress::Progress(std::vector<std::string> tests, const std::vector<TestResult>& earlier)
    : tests_(std::move(tests)),
      on_one_line_(isatty(STDOUT_FILENO) == 1 && !is_verbose()),
      test_started_(std::chrono::steady_clock::now()) {
  for (const TestResult& test : earlier) learn(test);
}

void Progress::learn(const TestResult& test) {
  for (const std::string& kind : kinds_of(test.id)) {
    Cost& cost = costs_[kind];
    ++cost.tests;
    cost.seconds += test.seconds;
  }
}

double Progress::expected(const std::string& test) const {
  // As long as no sweep has ended, it counts as so many other tests.
  constexpr double kTestsInASweep = 40;
  const bool is_sweep = test.starts_with("Sweep.") || test.starts_with("Pairs.");
  for (const std::string& kind : kinds_of(test))
    if (const auto cost = costs_.find(kind); cost != costs_.end())
      return cost->second.seconds / static_cast<double>(cost->second.tests) *
             (kind.empty() && is_sweep ? kTestsInASweep : 1);
  return 0;
}

std::string Progress::time_left() const {
  if (costs_.empty()) return "";
  double left = 0;
  for (size_t i = done_; i < tests_.size(); ++i) left += expected(tests_[i]);
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - test_started_;
  if (!test_.empty()) left -= std::min(gone.count(), expected(test_));
  return fmt::format(", {} left", in_words(left));
}

void Progress::renew_line() const {
  if (!on_one_line_ || is_quiet()) return;
  fmt::print("{}[{}/{}, {} points{}{}] {}", kClearLine, done_, tests_.size(), points_,
             not_passed_ > 0 ? fmt::format(", {} not passed", not_passed_) : "", time_left(),
             test_.substr(0, 60));
  std::fflush(stdout);
}

void Progress::begin(const std::string& test) {
  test_ = test;
  test_started_ = std::chrono::steady_clock::now();
  renew_line();
}

// A sweep has thousands of points: a person must see it move.
void Progress::point(const PointResult& point) {
  constexpr size_t kOften = 10;
  if (is_verbose())
    points_of_test_ += fmt::format("          {:<11} {}\n", name_of(point.verdict), point.point);
  if (++points_ % kOften == 0) renew_line();
}

void Progress::end(const TestResult& test) {
  ++done_;
  learn(test);
  const bool passed = test.verdict == Verdict::Pass;
  if (!passed) ++not_passed_;
  const std::string points = std::exchange(points_of_test_, "");
  if (is_quiet() || (on_one_line_ && passed)) return;
  if (on_one_line_) fmt::print("{}", kClearLine);
  fmt::print("{}",
             painted(fmt::format("[{:>3}/{}] {:<11} {} ({} point{}, {:.2f} s){}\n{}", done_, tests_.size(),
                                 name_of(test.verdict), test.id, test.points, test.points == 1 ? "" : "s",
                                 test.seconds, passed ? "" : "\n          " + test.reason, points)));
  std::fflush(stdout);
}

void Progress::finish() const {
  if (on_one_line_ && !is_quiet()) fmt::print("{}", kClearLine);
  std::fflush(stdout);
}

}  // namespace conformance
