// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace conformance {
namespace {

constexpr const char* kClearLine = "\r\033[K";

}  // namespace

Progress::Progress(size_t total)
    : total_(total), terminal_(isatty(STDOUT_FILENO) == 1), started_(std::chrono::steady_clock::now()) {}

std::string Progress::time_left() const {
  if (done_ == 0) return "";
  const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - started_;
  const double left = gone.count() / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  return fmt::format(", {:.0f} s left", left);
}

void Progress::begin(const std::string& test) {
  if (!terminal_) return;
  fmt::print("{}[{}/{}, {} points{}{}] {}", kClearLine, done_, total_, points_,
             not_passed_ > 0 ? fmt::format(", {} not passed", not_passed_) : "", time_left(),
             test.substr(0, 60));
  std::fflush(stdout);
}

// A sweep has thousands of points: a person must see it move.
void Progress::point(const std::string& test) {
  constexpr size_t kOften = 10;
  if (++points_ % kOften == 0) begin(test);
}

void Progress::end(const TestResult& test) {
  ++done_;
  const bool passed = test.verdict == Verdict::Pass;
  if (!passed) ++not_passed_;
  if (terminal_ && passed) return;
  if (terminal_) fmt::print("{}", kClearLine);
  fmt::print("[{:>3}/{}] {:<11} {} ({} point{}, {:.2f} s){}\n", done_, total_, name_of(test.verdict), test.id,
             test.points, test.points == 1 ? "" : "s", test.seconds,
             passed ? "" : "\n          " + test.reason);
  std::fflush(stdout);
}

void Progress::finish() const {
  if (terminal_) fmt::print("{}", kClearLine);
  std::fflush(stdout);
}

}  // namespace conformance
