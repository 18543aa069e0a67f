// SPDX-License-Identifier: BSD-3-Clause
//
// What a person sees while a run goes on: on a terminal one line that renews itself, with counts and the time
// left; elsewhere a plain line per test.
#pragma once

#include <chrono>
#include <string>

#include "conformance/report/result.h"

namespace conformance {

class Progress {
 public:
  explicit Progress(size_t total);
  void begin(const std::string& test);
  void point(const std::string& test);  // one more of its points is done
  void end(const TestResult& test);
  void finish() const;

 private:
  [[nodiscard]] std::string time_left() const;

  size_t total_;
  size_t done_ = 0;
  size_t not_passed_ = 0;
  size_t points_ = 0;
  bool terminal_;
  std::chrono::steady_clock::time_point started_;
};

}  // namespace conformance
