// SPDX-License-Identifier: BSD-3-Clause
//
// What happens to an armed thread's system calls.
//
// The kernel raises SIGSYS instead of each call outside the gate, while the thread's selector says so. The
// handler blocks all signals and lets all calls through while it works. So it is never entered again, except
// from a signal handler that runs while it makes a call in the thread's own state.
#include "shim/system_calls.h"

#include <cerrno>

#if defined(__x86_64__)

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <array>
#include <csignal>
#include <cstdint>

#include "shim/callers.h"
#include "shim/functions.h"
#include "shim/gate.h"
#include "shim/memory.h"
#include "shim/native.h"
#include "shim/session.h"
#include "shim/sigsys.h"

namespace rdmafault {
namespace {

enum class Manner : std::uint8_t { PLAIN, READS, WRITES, RECEIVES, SENDS, CLOSES, BREAKS };

constexpr int NO_PATH = -1;

struct Row {
  int number;
  Manner manner;
  int path;
};

constexpr Row kRows[] = {
#define RDMAFAULT_SYSTEM_CALL(name, number, manner, path, ...) {number, Manner::manner, path},
#include "shim/system_calls.inc"
};
constexpr std::size_t kRowsCount = sizeof(kRows) / sizeof(*kRows);
constexpr std::size_t kOther = kRowsCount - 1;

// By number, the index into kRows.
constexpr std::size_t kNumbers = 512;
constexpr auto kByNumber = [] {
  std::array<std::uint8_t, kNumbers> result = {};
  static_assert(kRowsCount <= UINT8_MAX);
  result.fill(kOther);
  for (std::uint8_t i = 0; i < kOther; ++i) result[static_cast<std::size_t>(kRows[i].number)] = i;
  return result;
}();

std::size_t row_index(long number) {
  const auto at = static_cast<std::size_t>(number);
  return at < kNumbers ? kByNumber[at] : kOther;
}

// The errno in a call's result, or 0.
std::int32_t error_in(std::int64_t result, const Row& row, const SystemCall& call) {
  if (row.manner == Manner::BREAKS) return call.args[0] != 0 && result != call.args[0] ? ENOMEM : 0;
  constexpr std::int64_t kMostErrors = 4095;
  return result < 0 && result >= -kMostErrors ? static_cast<std::int32_t>(-result) : 0;
}

std::int64_t make_here(const SystemCall& call, ucontext_t& context) {
  std::int64_t result = 0;
  make(call, context, result);
  return result;
}

// RDMAFAULT_SHORT.
std::int64_t shorten(const SystemCall& call, const Row& row, ucontext_t& context) {
  if (row.manner == Manner::RECEIVES) return receive_half(call, context);
  auto asked = static_cast<std::uint64_t>(call.args[2]);
  if (row.manner == Manner::SENDS && !message_size(call, asked)) return -EFAULT;
  const auto half = static_cast<std::int64_t>(asked / 2);
  if (row.manner != Manner::READS || half == 0) return half;
  SystemCall changed = call;
  changed.args[2] = half;
  return make_here(changed, context);
}

// The result of a call that a rule makes fail.
std::int64_t fail(const Call& how, const SystemCall& call, const Row& row, ucontext_t& context) {
  if (how.action == RDMAFAULT_RETVAL) return how.value == RDMAFAULT_SHORT ? shorten(call, row, context) : 0;
  if (row.manner == Manner::BREAKS) return call_kernel(SYS_brk, 0);
  if (row.manner == Manner::CLOSES) make_here(call, context);
  return -how.value;
}

void set_result(ucontext_t& context, std::int64_t result) {
  context.uc_mcontext.gregs[REG_RAX] = result;
}

// From now on the thread's calls are not seen: the end of the handler must not set the selector again.
void note_uncovered() {
  thread.system_calls = Thread::SystemCalls::kLost;
  if (thread.own == nullptr) return;
  std::atomic_ref(thread.own->log->uncovered).fetch_add(1, std::memory_order_relaxed);
}

void pass(const SystemCall& call, ucontext_t& context) {
  std::int64_t result = 0;
  const Made made = make(call, context, result);
  if (made == Made::kHere) set_result(context, result);
  if (made == Made::kUncovered) note_uncovered();
}

void judge_and_record(const SystemCall& call, ucontext_t& context) {
  const std::size_t index = row_index(call.number);
  const Row& row = kRows[index];
  const auto address = static_cast<std::uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
  ++thread.suspended;  // the unwinder's calls are not the program's
  const std::uint64_t caller = callers::find(address);
  --thread.suspended;
  Call record(static_cast<Function>(kFunctionCount + index), reinterpret_cast<const void*>(caller));
  const std::size_t first = index == kOther ? 1 : 0;
  if (index == kOther) record.args[0] = call.number;
  for (std::size_t i = first; i < RDMAFAULT_MAX_ARGS; ++i) record.args[i] = call.args[i - first];
  char text[RDMAFAULT_TEXT_SIZE] = "";
  if (row.path != NO_PATH) {
    memory::read_end(call.args[row.path], text);
    record.text = text;
  }
  enter(record);
  if (!record.injected) {
    std::int64_t result = 0;
    const Made made = make(call, context, result);
    if (made == Made::kUncovered) note_uncovered();
    leave(record, result, error_in(result, row, call));
    if (made == Made::kHere) set_result(context, result);
    return;
  }
  const std::int64_t result = fail(record, call, row, context);
  const bool is_break = row.manner == Manner::BREAKS;
  leave(record, result, is_break ? ENOMEM : error_in(result, row, call));
  set_result(context, result);
}

void on_sigsys(int /*signal*/, siginfo_t* info, void* interrupted) {
  set_selector(kLetThrough);
  const int saved = errno;
  constexpr int kUserDispatch = 2;  // SYS_USER_DISPATCH; libc's headers lack it
  if (info->si_code != kUserDispatch) {
    sigsys::pass_on(info, interrupted);
    errno = saved;
    set_selector();
    return;
  }
  auto& context = *static_cast<ucontext_t*>(interrupted);
  const auto& registers = context.uc_mcontext.gregs;
  const SystemCall call = {registers[REG_RAX],
                           {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX], registers[REG_R10],
                            registers[REG_R8], registers[REG_R9]}};
  if (call.number == SYS_rt_sigreturn) {
    return_from_handler(context);
  } else if (thread.own == nullptr || thread.suspended != 0) {
    pass(call, context);
  } else {
    judge_and_record(call, context);
  }
  errno = saved;
  set_selector();
}

// Whether the kernel lets this thread copy its own memory.
bool can_read_memory() {
  const int there = 1;
  int copy = 0;
  return memory::read(as_arg(&there), &copy, sizeof(copy)) && copy == there;
}

std::int64_t dispatch_on() {
  const char* const begin = &rdmafault_gate_begin;
  const auto size = static_cast<std::size_t>(&rdmafault_gate_end - begin);
  return call_kernel(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, as_arg(begin),
                     static_cast<std::int64_t>(size), as_arg(&thread.selector));
}

void dispatch_off() {
  call_kernel(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
}

// Blocks all signals in its scope, then restores the mask.
class Masked {
 public:
  Masked() {
    call_kernel(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&sigsys::kAll), as_arg(&mask), sizeof(mask));
  }
  Masked(const Masked&) = delete;
  Masked& operator=(const Masked&) = delete;
  ~Masked() { call_kernel(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&mask), 0, sizeof(mask)); }

  sigsys::Mask mask = 0;
};

}  // namespace

int see_system_calls() {
  callers::initialise();
  thread.id = static_cast<std::int32_t>(call_kernel(SYS_gettid));
  if (!can_read_memory()) return ENOTSUP;
  Masked masked;
  sigsys::take(&on_sigsys);
  if (dispatch_on() != 0) {
    sigsys::give_back();
    return ENOTSUP;
  }
  thread.blocks_sigsys = (masked.mask & sigsys::kSigsys) != 0;
  masked.mask &= ~sigsys::kSigsys;
  thread.system_calls = Thread::SystemCalls::kSeen;
  return 0;
}

void unsee_system_calls() {
  if (thread.system_calls == Thread::SystemCalls::kUnseen) return;
  set_selector(kLetThrough);
  Masked masked;
  thread.system_calls = Thread::SystemCalls::kUnseen;
  dispatch_off();
  sigsys::give_back();
  if (thread.blocks_sigsys) masked.mask |= sigsys::kSigsys;
}

void after_fork_unsee_system_calls() {
  Masked masked;
  if (thread.system_calls != Thread::SystemCalls::kUnseen && thread.blocks_sigsys) {
    masked.mask |= sigsys::kSigsys;
  }
  sigsys::after_fork_in_child();
}

}  // namespace rdmafault

#else

namespace rdmafault {

int see_system_calls() {
  return ENOTSUP;
}
void unsee_system_calls() {}
void after_fork_unsee_system_calls() {}

}  // namespace rdmafault

#endif
