// SPDX-License-Identifier: BSD-3-Clause
//
// SIGSYS belongs to the shim while it sees a thread's system calls: its action, and the masks of other
// signals' actions, which must not block it. (The kernel kills a thread that makes a system call with SIGSYS
// blocked.)
#ifndef SHIM_SIGSYS_H
#define SHIM_SIGSYS_H

#include <csignal>
#include <cstdint>

namespace rdmafault::sigsys {

using Handler = void (*)(int, siginfo_t*, void*);

// A signal set in the kernel's format.
using Mask = std::uint64_t;
inline constexpr Mask kAll = ~Mask{0};
constexpr Mask mask_of(int signal) {
  return Mask{1} << (signal - 1);
}
inline constexpr Mask kSigsys = mask_of(SIGSYS);

// An action in the kernel's format (on x86-64).
struct Action {
  void* handler;
  std::uint64_t flags;
  void* restorer;
  Mask mask;
};

// Install `handler`, the same for all threads. When every take() has its give_back(), the action that was
// there, or that the program has set since, is restored. The caller blocks all signals.
void take(Handler handler);
void give_back();
void after_fork_in_child();

// The action for SIGSYS that the program believes to be set: returns it, and sets it unless `changed` is
// nullptr.
Action pretended(const Action* changed);

// Note whether SIGSYS was removed from the mask of this signal's action. Returns what was noted before.
bool note_stripped(int signal, bool stripped);

// Whether it was removed.
bool is_stripped(int signal);

// Do what the pretended action says with a SIGSYS that is not the shim's.
void pass_on(siginfo_t* info, void* context);

}  // namespace rdmafault::sigsys

#endif  // SHIM_SIGSYS_H
