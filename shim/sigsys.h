// SPDX-License-Identifier: BSD-3-Clause
//
// SIGSYS, which is the shim's while it sees somebody's system calls: its action, and the masks of other
// signals' actions, which must not block it. (A thread that makes a system call with SIGSYS blocked would be
// killed.)
#ifndef SHIM_SIGSYS_H
#define SHIM_SIGSYS_H

#include <csignal>
#include <cstdint>

namespace rdmafault::sigsys {

using Handler = void (*)(int, siginfo_t*, void*);

// A signal set as the kernel has it.
using Mask = std::uint64_t;
inline constexpr Mask kAll = ~Mask{0};
constexpr Mask mask_of(int signal) {
  return Mask{1} << (signal - 1);
}
inline constexpr Mask kSigsys = mask_of(SIGSYS);

// An action as the kernel has it (on x86-64).
struct Action {
  void* handler;
  std::uint64_t flags;
  void* restorer;
  Mask mask;
};

// Installs `handler`, the same for all, until as many have given it back as have taken it; then what was
// there, or was asked for since, is put in its place. The caller blocks all signals.
void take(Handler handler);
void give_back();
void after_fork_in_child();

// The action for SIGSYS that everybody else believes in: reads it, and sets it unless `changed` is nullptr.
Action pretended(const Action* changed);

// Masks of other signals' actions: notes that SIGSYS has been taken out of this one's or put in; returns what
// was noted before.
bool note_stripped(int signal, bool stripped);

// Whether it is noted.
bool is_stripped(int signal);

// Does what the pretended action says about a SIGSYS that is none of the shim's.
void pass_on(siginfo_t* info, void* context);

}  // namespace rdmafault::sigsys

#endif  // SHIM_SIGSYS_H
