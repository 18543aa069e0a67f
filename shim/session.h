// SPDX-License-Identifier: BSD-3-Clause
//
// The armed state: which threads are armed, with which rules, and how an interposed call is judged and
// recorded.
#ifndef SHIM_SESSION_H
#define SHIM_SESSION_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "shim/functions.h"
#include "shim/modules.h"
#include "shim/rdmafault.h"

namespace rdmafault {

// The number of threads that can be armed at once.
inline constexpr std::size_t kMaxSessions = 32;

// How the state is shared
//
//   A session belongs to the thread that claimed it, from rdmafault_arm() to rdmafault_disarm(). `generation`
//   is odd while the session is armed. Each arming and disarming adds one, so a value names one armed time.
//
//   The owner writes everything else in the session while `generation` is even, then makes it odd with a
//   store that publishes the rest. After that only the session's atomics change, and the log as below.
//
//   The owner's calls use the session directly. Any other thread must enter it first: it increments
//   `writers`, then reads `generation`. If that is even (or not the value that the thread remembers), the
//   thread decrements `writers` and touches nothing. To disarm, the owner makes `generation` even, then waits
//   until `writers` is 0. All four accesses are sequentially consistent: either the thread sees the even
//   generation, or the owner sees the thread. A thread enters twice per call, to begin the record and to
//   complete it. It is outside during the call itself: disarming waits for a few stores, never for a call
//   that blocks.
//
//   In the log, `count` is incremented atomically, once per record. The thread that got a number owns that
//   record: no other thread writes to it. `flags` is written last, with release order, when the call has
//   returned. The rules' counters are atomic.
//
//   fork: in the child all sessions are disarmed and have no writers, before its first interposed call can
//   get here. (fork_epoch tells a thread that forked in a signal handler that its `writers` was reset.)
struct Session {
  std::atomic<bool> claimed = false;
  bool injected_only = false;  // RDMAFAULT_INJECTED_ONLY
  std::atomic<std::uint32_t> generation = 0;
  std::atomic<std::uint32_t> writers = 0;

  rdmafault_log* log = nullptr;
  std::size_t rule_count = 0;
  std::size_t role_count = 0;
  rdmafault_rule rules[RDMAFAULT_MAX_RULES] = {};
  rdmafault_role roles[RDMAFAULT_MAX_ROLES] = {};
  Modules modules;
};

// The state of one thread. Initial-exec, so that access to it never allocates.
struct Thread {
  Session* own = nullptr;       // armed
  std::uint32_t suspended = 0;  // suspends without their resume
  std::uint16_t depth = 0;      // interposed functions on its stack
  std::uint64_t inside = 0;     // address of the innermost next function on its stack
  std::int32_t id = 0;          // gettid(), once known

  // Armed with RDMAFAULT_INJECTED_ONLY: calls that are forwarded unchecked. Bit F: all calls of function F;
  // `passed_call`: the last function and caller (key_of_call()) to which no rule applied.
  std::uint64_t passed_functions = 0;
  std::uint64_t passed_call = 0;

  // Whether system calls are seen. LOST: they were, but are no longer.
  enum class SystemCalls : std::uint8_t { kUnseen, kSeen, kLost };
  SystemCalls system_calls = SystemCalls::kUnseen;
  bool blocks_sigsys = false;  // what the thread believes; SIGSYS is never blocked while its calls are seen
  // The kernel reads this before each system call of a thread with SystemCalls::kSeen.
  std::uint8_t selector = 0;
};
[[gnu::visibility("hidden")]] extern constinit thread_local Thread
    thread;  // NOLINT(bugprone-dynamic-static-initializers): constinit

// The values of the selector.
inline constexpr std::uint8_t kLetThrough = 0;
inline constexpr std::uint8_t kRaiseSigsys = 1;

// Set the selector. The compiler must not move this store past the code it is for: a handler on the same
// thread sees both.
inline void set_selector(std::uint8_t value) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::atomic_ref(thread.selector).store(value, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}
// Set the selector as the rest of the thread's state demands.
inline void set_selector() {
  const bool raise = thread.system_calls == Thread::SystemCalls::kSeen && thread.suspended == 0;
  set_selector(raise ? kRaiseSigsys : kLetThrough);
}

inline void suspend() {
  ++thread.suspended;
  set_selector(kLetThrough);
}
inline void resume() {
  if (thread.suspended > 0) --thread.suspended;
  set_selector();
}

// The number of armed sessions. While it is 0, a call reads nothing else.
[[gnu::visibility("hidden")]] extern constinit std::atomic<std::uint32_t>
    armed_sessions;  // NOLINT(bugprone-dynamic-static-initializers): constinit

inline bool disarmed() {
  return armed_sessions.load(std::memory_order_relaxed) == 0;
}

// A function and the return address of its call in one word; addresses of programs have 47 bits.
inline std::uint64_t key_of_call(Function function, std::uint64_t return_address) {
  static_assert(kFunctionCount < 64);
  return return_address | (static_cast<std::uint64_t>(function) + 1) << 56;
}

// While a thread is armed: whether the call can be forwarded without a closer look.
inline bool can_be_skipped(Function function, const void* return_address) {
  if ((thread.passed_functions >> static_cast<std::size_t>(function) & 1) != 0) return true;
  return thread.passed_call == key_of_call(function, reinterpret_cast<std::uint64_t>(return_address));
}

// One interposed call, from enter() to leave().
struct Call {
  Function function;
  std::uint64_t caller;  // return address
  std::int64_t args[RDMAFAULT_MAX_ARGS] = {};
  std::uint64_t released = 0;
  std::uint64_t acquired = 0;
  const char* text = nullptr;  // RDMAFAULT_TEXT_SIZE bytes, or nullptr

  // Set by enter(): what the rule that fired asks for. A copy, since the rule may end with its session.
  bool injected = false;
  rdmafault_action action = RDMAFAULT_ERROR;
  std::int32_t value = 0;

  // Where it is recorded: in its thread's own log, or in the log of each other session.
  struct Ticket {
    Session* session;
    std::uint32_t generation;
    std::uint32_t record;
  };
  std::size_t ticket_count = 0;
  Ticket tickets[kMaxSessions];  // NOLINT(cppcoreguidelines-pro-type-member-init): the first ticket_count are
                                 // valid

  Call(Function of, const void* return_address)
      : function(of), caller(reinterpret_cast<std::uint64_t>(return_address)) {}
};

inline bool is_about(const rdmafault_rule& rule, Function function) {
  if (rule.function == static_cast<std::uint16_t>(function)) return true;
  return rule.function == RDMAFAULT_ANY_ALLOCATOR && is_any_allocator(static_cast<std::size_t>(function));
}

// Begin the call's records and decide whether a rule makes it fail. Not for a suspended thread.
void enter(Call& call);

// Complete the call's records in all logs that are still armed.
void leave(const Call& call, std::int64_t result, std::int32_t error);

// Arm the calling thread. Returns 0, or an error of rdmafault_arm() other than ENOSYS.
int arm(const rdmafault_session& request);
void disarm();

// Fork handlers. Nothing is recorded from the first to the end of the other two.
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

}  // namespace rdmafault

#endif  // SHIM_SESSION_H
