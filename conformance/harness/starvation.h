// SPDX-License-Identifier: BSD-3-Clause
//
// A process's use of processors: a process that waits for one on a busy machine does not hang, and a sleeping
// process needs none.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace conformance {

// The sum over the process's current threads, from /proc/PID/task/*/schedstat. 0 if the kernel does not tell
// it.
struct ProcessorTime {
  std::chrono::nanoseconds ran{0};
  std::chrono::nanoseconds waited{0};  // ready to run, without a processor
};
ProcessorTime processor_time(pid_t process);

}  // namespace conformance
