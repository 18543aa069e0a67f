// SPDX-License-Identifier: BSD-3-Clause
//
// Seeing the calling thread's system calls: Linux's Syscall User Dispatch, which raises SIGSYS in their
// place.
#ifndef SHIM_SYSTEM_CALLS_H
#define SHIM_SYSTEM_CALLS_H

namespace rdmafault {

// Begins to see them, once the thread is not suspended any more. Only for a suspended thread that is not
// armed: it may allocate, to make unwinding ready. Returns 0 or ENOTSUP.
int see_system_calls();

// Ends it; no effect where it has not begun.
void unsee_system_calls();

// The child has no dispatch; gives it SIGSYS back.
void after_fork_unsee_system_calls();

}  // namespace rdmafault

#endif  // SHIM_SYSTEM_CALLS_H
