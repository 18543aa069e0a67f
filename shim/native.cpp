// SPDX-License-Identifier: BSD-3-Clause
//
// Makes the thread's system calls in the SIGSYS handler, and handles those that work differently inside a
// signal handler.
#include "shim/native.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "shim/gate.h"
#include "shim/memory.h"
#include "shim/session.h"
#include "shim/sigsys.h"

// Where each landing jumps to. 0: the landing is free.
extern "C" {
[[gnu::visibility("hidden")]] constinit std::atomic<std::uint64_t>
    rdmafault_landing_returns[rdmafault::kLandings] = {};
}
static_assert(sizeof(rdmafault_landing_returns) == sizeof(std::uint64_t) * rdmafault::kLandings);

namespace rdmafault {
namespace {

using sigsys::Action;
using sigsys::kSigsys;
using sigsys::Mask;

// The signal mask that the thread has outside the handler.
Mask& mask_of(ucontext_t& context) {
  return context.uc_sigmask.__val[0];
}

// Make the call in the thread's own state: system calls of a signal handler that runs meanwhile are seen, and
// a mask that the call or such a handler sets becomes the thread's.
std::int64_t make_plainly(const SystemCall& call, ucontext_t& context) {
  Mask& mask = mask_of(context);
  const Mask mine = mask & ~kSigsys;
  set_selector();
  call_kernel(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&mine), 0, sizeof(Mask));
  const std::int64_t result = rdmafault_gate_call(call.number, call.args);
  call_kernel(SYS_rt_sigprocmask, SIG_SETMASK, as_arg(&sigsys::kAll), as_arg(&mask), sizeof(Mask));
  set_selector(kLetThrough);
  return result;
}

// Calls that take a signal mask: SIGSYS must not be in it. pselect6 passes its mask in another way.
struct MaskArgument {
  long number;
  std::size_t mask;
  std::size_t size;
};
constexpr MaskArgument kMaskArguments[] = {{SYS_rt_sigprocmask, 1, 3},
                                           {SYS_rt_sigsuspend, 0, 1},
                                           {SYS_ppoll, 3, 4},
                                           {SYS_epoll_pwait, 4, 5},
                                           {SYS_epoll_pwait2, 4, 5}};

std::int64_t make_with_mask(const SystemCall& call, ucontext_t& context, const MaskArgument& argument) {
  SystemCall changed = call;
  Mask mask = 0;
  if (call.args[argument.mask] == 0 || call.args[argument.size] != sizeof(Mask) ||
      !memory::read(call.args[argument.mask], &mask, sizeof(mask))) {
    return make_plainly(call, context);  // no mask, or one that the kernel refuses
  }
  const bool has_sigsys = (mask & kSigsys) != 0;
  mask &= ~kSigsys;
  changed.args[argument.mask] = as_arg(&mask);
  const std::int64_t result = make_plainly(changed, context);
  if (call.number != SYS_rt_sigprocmask || result != 0) return result;
  if (call.args[0] == SIG_SETMASK) thread.blocks_sigsys = has_sigsys;
  if (call.args[0] == SIG_BLOCK && has_sigsys) thread.blocks_sigsys = true;
  if (call.args[0] == SIG_UNBLOCK && has_sigsys) thread.blocks_sigsys = false;
  return result;
}

// The same; the old mask is the one that the thread believes to have.
std::int64_t change_mask(const SystemCall& call, ucontext_t& context) {
  const bool was_blocked = thread.blocks_sigsys;
  const std::int64_t result = make_with_mask(call, context, kMaskArguments[0]);
  Mask old = 0;
  if (result == 0 && was_blocked && memory::read(call.args[2], &old, sizeof(old))) {
    old |= kSigsys;
    memory::write(call.args[2], &old, sizeof(old));
  }
  return result;
}

std::int64_t select_with_mask(const SystemCall& call, ucontext_t& context) {
  struct {
    std::int64_t mask;
    std::uint64_t size;
  } argument = {};
  Mask mask = 0;
  if (!memory::read(call.args[5], &argument, sizeof(argument)) || argument.size != sizeof(Mask) ||
      !memory::read(argument.mask, &mask, sizeof(mask))) {
    return make_plainly(call, context);
  }
  mask &= ~kSigsys;
  argument.mask = as_arg(&mask);
  SystemCall changed = call;
  changed.args[5] = as_arg(&argument);
  return make_plainly(changed, context);
}

// The action for SIGSYS is only pretended; actions for other signals must not block SIGSYS.
std::int64_t change_action(const SystemCall& call, ucontext_t& context) {
  const std::int64_t wanted = call.args[1];
  const std::int64_t old = call.args[2];
  const auto signal = static_cast<int>(call.args[0]);
  Action action = {};
  if (call.args[3] != sizeof(Mask) || signal < 1 || signal > 64) return make_plainly(call, context);
  if (wanted != 0 && !memory::read(wanted, &action, sizeof(action))) return -EFAULT;
  if (signal == SIGSYS) {
    const Action was = sigsys::pretended(wanted != 0 ? &action : nullptr);
    return old == 0 || memory::write(old, &was, sizeof(was)) ? 0 : -EFAULT;
  }
  SystemCall changed = call;
  const bool was_stripped = sigsys::is_stripped(signal);
  if (wanted != 0) {
    sigsys::note_stripped(signal, (action.mask & kSigsys) != 0);
    action.mask &= ~kSigsys;
    changed.args[1] = as_arg(&action);
  }
  const std::int64_t result = make_plainly(changed, context);
  if (result != 0 && wanted != 0) sigsys::note_stripped(signal, was_stripped);
  Action was = {};
  if (result == 0 && was_stripped && memory::read(old, &was, sizeof(was))) {
    was.mask |= kSigsys;
    memory::write(old, &was, sizeof(was));
  }
  return result;
}

// The return from the handler would undo the call.
std::int64_t change_stack(const SystemCall& call, ucontext_t& context) {
  const std::int64_t result = make_plainly(call, context);
  if (result == 0) call_kernel(SYS_sigaltstack, 0, as_arg(&context.uc_stack));
  return result;
}

// A new thread or process must not start inside the handler, on the caller's stack. It is made after the
// handler returns, in a landing of the gate, from which parent and child go on.
Made land(ucontext_t& context) {
  auto& instruction = context.uc_mcontext.gregs[REG_RIP];
  const auto address = static_cast<std::uint64_t>(instruction);
  for (std::size_t i = 0; i < kLandings; ++i) {
    std::uint64_t there = 0;
    if (rdmafault_landing_returns[i].compare_exchange_strong(there, address, std::memory_order_relaxed) ||
        there == address) {
      instruction = as_arg(&rdmafault_landings + i * kLandingSize);
      return Made::kOnReturn;
    }
  }
  constexpr int kInstructionSize = 2;  // of the system call's
  instruction -= kInstructionSize;
  return Made::kUncovered;
}

bool read_message(const SystemCall& call, msghdr& message) {
  return memory::read(call.args[1], &message, sizeof(message));
}

}  // namespace

Made make(const SystemCall& call, ucontext_t& context, std::int64_t& result) {
  switch (call.number) {
    case SYS_clone:
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
      return land(context);
    case SYS_rt_sigprocmask:
      result = change_mask(call, context);
      return Made::kHere;
    case SYS_rt_sigaction:
      result = change_action(call, context);
      return Made::kHere;
    case SYS_sigaltstack:
      result = change_stack(call, context);
      return Made::kHere;
    case SYS_pselect6:
      result = select_with_mask(call, context);
      return Made::kHere;
    case SYS_prctl:
      if (call.args[0] != PR_SET_SYSCALL_USER_DISPATCH) break;
      result = -EINVAL;
      return Made::kHere;
    default:
      break;
  }
  for (const MaskArgument& argument : kMaskArguments) {
    if (argument.number != call.number) continue;
    result = make_with_mask(call, context, argument);
    return Made::kHere;
  }
  result = make_plainly(call, context);
  return Made::kHere;
}

void return_from_handler(ucontext_t& context) {
  // The kernel reads the signal frame at the stack pointer.
  auto& frame = *reinterpret_cast<ucontext_t*>(context.uc_mcontext.gregs[REG_RSP]);
  Mask& mask = mask_of(frame);
  if ((mask & kSigsys) != 0) thread.blocks_sigsys = true;
  mask &= ~kSigsys;
  context.uc_mcontext.gregs[REG_RIP] = as_arg(reinterpret_cast<const void*>(&rdmafault_gate_restorer));
}

bool message_size(const SystemCall& call, std::uint64_t& size) {
  msghdr message = {};
  if (!read_message(call, message)) return false;
  size = 0;
  for (std::size_t i = 0; i < message.msg_iovlen && i < UIO_MAXIOV; ++i) {
    iovec part = {};
    if (!memory::read(as_arg(message.msg_iov + i), &part, sizeof(part))) return false;
    size += part.iov_len;
  }
  return true;
}

std::int64_t receive_half(const SystemCall& call, ucontext_t& context) {
  constexpr std::size_t kMost = 16;
  iovec parts[kMost];
  msghdr message = {};
  std::uint64_t left = 0;
  if (!message_size(call, left) || !read_message(call, message)) return make_plainly(call, context);
  left /= 2;
  if (left == 0) return 0;
  std::size_t count = 0;
  for (; count < kMost && count < message.msg_iovlen && left > 0; ++count) {
    memory::read(as_arg(message.msg_iov + count), &parts[count], sizeof(iovec));
    if (parts[count].iov_len > left) parts[count].iov_len = left;
    left -= parts[count].iov_len;
  }
  msghdr half = message;
  half.msg_iov = parts;
  half.msg_iovlen = count;
  SystemCall changed = call;
  changed.args[1] = as_arg(&half);
  const std::int64_t result = make_plainly(changed, context);
  if (result >= 0) {
    half.msg_iov = message.msg_iov;
    half.msg_iovlen = message.msg_iovlen;
    memory::write(call.args[1], &half, sizeof(half));
  }
  return result;
}

}  // namespace rdmafault
