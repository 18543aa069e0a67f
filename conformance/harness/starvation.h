// SPDX-License-Identifier: BSD-3-Clause
//
// What a process had of the processors: who was kept from running on a busy machine does not hang, and who
// sleeps takes nothing from others.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace conformance {

// Of the threads that a process has now, taken together, as the kernel counts it
// (/proc/PID/task/*/schedstat). 0 where the kernel does not say.
struct ProcessorTime {
  std::chrono::nanoseconds ran{0};
  std::chrono::nanoseconds waited{0};  // could have run and had no processor
};
ProcessorTime processor_time(pid_t process);

}  // namespace conformance
