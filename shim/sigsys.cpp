// SPDX-License-Identifier: BSD-3-Clause
//
// Owns SIGSYS while threads' system calls are seen.
#include "shim/sigsys.h"

#include <sys/syscall.h>

#include <atomic>

#include "shim/gate.h"

namespace rdmafault::sigsys {
namespace {

// Guards all of the below. It is held for a few system calls, with all signals blocked. An armed thread takes
// it only when the program changes the action for SIGSYS, or gets a SIGSYS from elsewhere.
class Guard {
 public:
  Guard() {
    while (held.exchange(true, std::memory_order_acquire)) call_kernel(SYS_sched_yield);
  }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  ~Guard() { held.store(false, std::memory_order_release); }

  static std::atomic<bool> held;
};
constinit std::atomic<bool> Guard::held = false;

constinit unsigned takers = 0;
constinit void* ours = nullptr;  // the handler
constinit Action theirs = {};    // the pretended action
constinit std::atomic<Mask> stripped_signals = 0;

constexpr std::uint64_t kRestorerFlag = 0x04000000;  // SA_RESTORER, which is in no header

Action get(int signal) {
  Action action = {};
  call_kernel(SYS_rt_sigaction, signal, 0, as_arg(&action), sizeof(Mask));
  return action;
}

void set(int signal, const Action& action) {
  call_kernel(SYS_rt_sigaction, signal, as_arg(&action), 0, sizeof(Mask));
}

// For each other signal.
template <class Change>
void change_masks(Change change) {
  for (int signal = 1; signal <= 64; ++signal) {
    if (signal == SIGSYS || signal == SIGKILL || signal == SIGSTOP) continue;
    Action action = get(signal);
    if (change(signal, action.mask)) set(signal, action);
  }
}

void put_back() {
  // A thread that is not seen may have replaced it.
  if (get(SIGSYS).handler == ours) set(SIGSYS, theirs);
  const Mask stripped = stripped_signals.exchange(0, std::memory_order_relaxed);
  if (stripped == 0) return;
  change_masks([stripped](int signal, Mask& mask) {
    if ((stripped & mask_of(signal)) == 0) return false;
    mask |= kSigsys;
    return true;
  });
}

}  // namespace

void take(Handler handler) {
  const Guard guard;
  if (takers++ > 0) return;
  ours = reinterpret_cast<void*>(handler);
  theirs = get(SIGSYS);
  // All signals stay blocked in the handler, except during the call that it makes.
  set(SIGSYS, {ours, SA_SIGINFO | kRestorerFlag, reinterpret_cast<void*>(&rdmafault_gate_restorer), kAll});
  change_masks([](int signal, Mask& mask) {
    if ((mask & kSigsys) == 0) return false;
    mask &= ~kSigsys;
    note_stripped(signal, true);
    return true;
  });
}

void give_back() {
  const Guard guard;
  if (--takers == 0) put_back();
}

void after_fork_in_child() {
  Guard::held.store(false, std::memory_order_relaxed);
  if (takers == 0) return;
  takers = 0;
  put_back();
}

Action pretended(const Action* changed) {
  const Guard guard;
  const Action was = theirs;
  if (changed != nullptr) theirs = *changed;
  return was;
}

bool note_stripped(int signal, bool stripped) {
  const Mask bit = mask_of(signal);
  const Mask was = stripped ? stripped_signals.fetch_or(bit, std::memory_order_relaxed)
                            : stripped_signals.fetch_and(~bit, std::memory_order_relaxed);
  return (was & bit) != 0;
}

bool is_stripped(int signal) {
  return (stripped_signals.load(std::memory_order_relaxed) & mask_of(signal)) != 0;
}

void pass_on(siginfo_t* info, void* context) {
  const Action action = pretended(nullptr);
  if (action.handler == reinterpret_cast<void*>(SIG_IGN) && info->si_code <= 0) return;
  if (action.handler == reinterpret_cast<void*>(SIG_DFL) ||
      action.handler == reinterpret_cast<void*>(SIG_IGN)) {
    // This ends the process as soon as the handler returns.
    set(SIGSYS, {});
    call_kernel(SYS_tgkill, call_kernel(SYS_getpid), call_kernel(SYS_gettid), SIGSYS);
    return;
  }
  if ((action.flags & SA_SIGINFO) != 0) {
    reinterpret_cast<Handler>(action.handler)(SIGSYS, info, context);
  } else {
    reinterpret_cast<void (*)(int)>(action.handler)(SIGSYS);
  }
}

}  // namespace rdmafault::sigsys
