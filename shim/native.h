// SPDX-License-Identifier: BSD-3-Clause
//
// Makes a system call for the thread that SIGSYS has stopped at it: in the handler, as if the thread had made
// it itself.
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
  kHere,       // *result is what the kernel returned
  kOnReturn,   // will be made when the handler returns: the context is set up for it
  kUncovered,  // the same, and the thread's system calls are not seen after that
};

// All signals must be blocked and the selector let everything through, as they are when it returns; in
// between they are as they are for the thread.
Made make(const SystemCall& call, ucontext_t& context, std::int64_t& result);

// The end of somebody's signal handler: the context is set up for it.
void return_from_handler(ucontext_t& context);

// recvmsg into half of what the message's buffers hold, or, where that is 0, no call.
std::int64_t receive_half(const SystemCall& call, ucontext_t& context);

// How much the buffers of a sendmsg's or recvmsg's message hold; false where they cannot be read.
bool message_size(const SystemCall& call, std::uint64_t& size);

}  // namespace rdmafault

#endif  // SHIM_NATIVE_H
