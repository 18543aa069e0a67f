// SPDX-License-Identifier: BSD-3-Clause
//
// How long a process was kept from running: on a machine that is busy otherwise that is no hang.
#pragma once

#include <sys/types.h>

#include <chrono>

namespace conformance {

// For how long the threads of a process, taken together, could have run and had no processor, as the kernel
// counts it (/proc/PID/task/*/schedstat). 0 where the kernel does not say.
std::chrono::nanoseconds waited_for_processor(pid_t process);

}  // namespace conformance
