// SPDX-License-Identifier: BSD-3-Clause
//
// Makes a system call in the SIGSYS handler, as if the interrupted thread made it.
#ifndef SHIM_NATIVE_H
#define SHIM_NATIVE_H

#include <ucontext.h>

#include <cstdint>

namespace rdmafault {

struct SystemCall {
  long number;
  std::int64_t args[6];
};

enum class Made {
  kHere,       // *result is the kernel's result
  kOnReturn,   // the call is made when the handler returns: the context is set up for it
  kUncovered,  // the same, and later system calls of the thread are not seen
};

// Before and after, all signals are blocked and the selector lets all calls through. During the call both are
// as the thread has them.
Made make(const SystemCall& call, ucontext_t& context, std::int64_t& result);

// The return from a signal handler of the program: sets up the context for it.
void return_from_handler(ucontext_t& context);

// recvmsg into half of the message's buffers; no call if half is 0.
std::int64_t receive_half(const SystemCall& call, ucontext_t& context);

// The size of the buffers of a sendmsg's or recvmsg's message; false if they cannot be read.
bool message_size(const SystemCall& call, std::uint64_t& size);

}  // namespace rdmafault

#endif  // SHIM_NATIVE_H
