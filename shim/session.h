// SPDX-License-Identifier: BSD-3-Clause
//
// The armed state: who is armed, with which rules, and how an interposed call is judged and recorded.
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

// How many threads can be armed at once.
inline constexpr std::size_t kMaxSessions = 32;

// How the state is shared
//
//   A session belongs to the thread that claimed it, from rdmafault_arm() to rdmafault_disarm(). `generation`
//   is odd while it is armed and goes up by one at each arming and disarming, so it names one armed time.
//
//   The owner writes everything else in the session while generation is even, then makes it odd with a store
//   that publishes it. After that nobody writes to the session but to its atomics, and to the log as below.
//
//   The owner's own calls use the session without further ado. Any other thread must come in first: it raises
//   `writers`, then reads `generation`; where that is not odd (or not the one that it remembers), it lowers
//   `writers` again and touches nothing. The owner, disarming, makes `generation` even, then waits for
//   `writers` to be 0. All four accesses are sequentially consistent: either the thread sees the even
//   generation, or the owner sees the thread. A thread comes in twice per call, to begin the record and to
//   complete it, and is out while the call is under way: disarming waits for a few stores, never for a call
//   that blocks.
//
//   In the log, `count` is raised once per record, atomically; who got a number owns that record and alone
//   writes to it. `flags` is written last, with release order, when the call has returned. The rules'
//   counters are atomic.
//
//   fork: the child gets every session disarmed and no writer, before any interposed call of its own can get
//   here (fork_epoch tells a thread that forked from a signal handler that its `writers` has been settled).
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

// One thread's part. Initial-exec, so that reaching it never allocates.
struct Thread {
  Session* own = nullptr;       // armed
  std::uint32_t suspended = 0;  // suspends that have not been resumed
  std::uint16_t depth = 0;      // interposed functions that it is in
  std::uint64_t inside = 0;     // the innermost next function that it is in: its address
  std::int32_t id = 0;          // gettid(), once known

  // Armed with RDMAFAULT_INJECTED_ONLY: what may be forwarded without a look. Bit F: function F, by whomever
  // it is called; `passed_call`: one function by one caller (key_of_call()), the last that no rule was about.
  std::uint64_t passed_functions = 0;
  std::uint64_t passed_call = 0;

  // Whether system calls are seen. LOST: they were, and are not any more.
  enum class SystemCalls : std::uint8_t { kUnseen, kSeen, kLost };
  SystemCalls system_calls = SystemCalls::kUnseen;
  bool blocks_sigsys = false;  // as it believes; while its system calls are seen, SIGSYS is never blocked
  // What the kernel looks at before each system call of a thread with SystemCalls::kSeen.
  std::uint8_t selector = 0;
};
[[gnu::visibility("hidden")]] extern constinit thread_local Thread
    thread;  // NOLINT(bugprone-dynamic-static-initializers): constinit

// The selector's values.
inline constexpr std::uint8_t kLetThrough = 0;
inline constexpr std::uint8_t kRaiseSigsys = 1;

// The compiler must not move it past what it governs, which a handler on the same thread sees.
inline void set_selector(std::uint8_t value) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::atomic_ref(thread.selector).store(value, std::memory_order_relaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
}
// ... to what the rest of the thread's state asks for.
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

// How many sessions are armed. The one thing that a call looks at while it is 0.
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

// While somebody is armed: whether the call concerns nobody, as far as can be told at once.
inline bool concerns_nobody(Function function, const void* return_address) {
  if ((thread.passed_functions >> static_cast<std::size_t>(function) & 1) != 0) return true;
  return thread.passed_call == key_of_call(function, reinterpret_cast<std::uint64_t>(return_address));
}

// One interposed call under way, from enter() to leave().
struct Call {
  Function function;
  std::uint64_t caller;  // return address
  std::int64_t args[RDMAFAULT_MAX_ARGS] = {};
  std::uint64_t released = 0;
  std::uint64_t acquired = 0;
  const char* text = nullptr;  // RDMAFAULT_TEXT_SIZE of them, or none

  // Set by enter(): the rule that fired, or nullptr. It may be gone with its session, so what it says is
  // copied.
  bool injected = false;
  rdmafault_action action = RDMAFAULT_ERROR;
  std::int32_t value = 0;

  // Where it is being recorded: in its own session's log, or in that of each other session.
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

// Begins the call's records and decides whether a rule makes it fail. Not for a suspended thread.
void enter(Call& call);

// Completes the call's records, wherever they still may be written to.
void leave(const Call& call, std::int64_t result, std::int32_t error);

// Arms the calling thread; the error numbers are those of rdmafault_arm() without ENOSYS. Returns 0 or one of
// them.
int arm(const rdmafault_session& request);
void disarm();

// What fork() needs: nothing is recorded from prepare to the end of the other two.
void before_fork();
void after_fork_in_parent();
void after_fork_in_child();

}  // namespace rdmafault

#endif  // SHIM_SESSION_H
