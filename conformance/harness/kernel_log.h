// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel's log during a run. A warning, oops or new taint is a finding, attributed to the kernel.
#pragma once

#include <string>
#include <vector>

#include "conformance/harness/verdict.h"

namespace conformance {

class KernelLog {
 public:
  // Starts at the log's current end. /dev/kmsg must be readable (root, or CAP_SYSLOG).
  KernelLog();
  ~KernelLog();
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;
  KernelLog(KernelLog&&) = delete;
  KernelLog& operator=(KernelLog&&) = delete;

  // Judges the lines since then and those of add().
  Outcome judge();

  // Adds a line that an earlier part of the same run read. It is judged too.
  void add(std::string line);

  // All lines so far: the kernel's, and those about its state in parentheses.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  int fd_;
  bool emulated_;
  std::string taint_;
  Aggregate worst_;
  std::vector<std::string> lines_;
};

// True if this machine's processors are emulated: then the host may cause a stall, which proves nothing.
bool is_emulated();

// True for a line that the suite added about the kernel's state.
bool is_said_of_the_kernel(const std::string& line);

// The verdict on one line of a kernel log. Also for the console of a machine that crashed.
Verdict verdict_on_kernel_line(const std::string& line, bool emulated);

}  // namespace conformance
