// SPDX-License-Identifier: BSD-3-Clause
//
// Seeing the calling thread's system calls, with Linux's Syscall User Dispatch: the kernel raises SIGSYS
// instead of making the call.
#ifndef SHIM_SYSTEM_CALLS_H
#define SHIM_SYSTEM_CALLS_H

namespace rdmafault {

// See them as soon as the thread is not suspended. Only for a suspended thread that is not armed: it may
// allocate, to prepare the unwinder. Returns 0 or ENOTSUP.
int see_system_calls();

// Stop seeing them; no effect if they are not seen.
void unsee_system_calls();

// A forked child has no dispatch: restore its SIGSYS.
void after_fork_unsee_system_calls();

}  // namespace rdmafault

#endif  // SHIM_SYSTEM_CALLS_H
