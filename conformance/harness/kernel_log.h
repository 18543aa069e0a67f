// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel's log during a run: a warning, oops or new taint is a finding, attributed to the kernel.
#pragma once

#include <string>
#include <vector>

#include "conformance/harness/verdict.h"

namespace conformance {

class KernelLog {
 public:
  // From now on. Needs /dev/kmsg to be readable (root, or CAP_SYSLOG).
  KernelLog();
  ~KernelLog();
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;
  KernelLog(KernelLog&&) = delete;
  KernelLog& operator=(KernelLog&&) = delete;

  // Judges what came since, and what was recalled.
  Outcome judge();

  // A line that an earlier part of the same run read. It is judged like one of this part.
  void add(std::string line);

  // All of them, as read by judge(): the kernel's, and in parentheses what is said of its state.
  [[nodiscard]] const std::vector<std::string>& lines() const { return lines_; }

 private:
  int fd_;
  bool emulated_;
  std::string taint_;
  Aggregate worst_;
  std::vector<std::string> lines_;
};

// True where this machine's processors are emulated: a stall may be the host's doing and proves nothing.
bool is_emulated();

// True for what the suite says of the kernel's state, which is no line of the kernel's own.
bool is_said_of_the_kernel(const std::string& line);

// The verdict on one line of a kernel log. Also used on the console of a machine that was lost.
Verdict verdict_on_kernel_line(const std::string& line, bool emulated);

}  // namespace conformance
