// SPDX-License-Identifier: BSD-3-Clause
//
// What an interposed function does while a thread is armed: record the call, then forward it or fail it. The
// bodies in interpose_*.cpp hold what is special about each function; the rest is here.
#ifndef SHIM_INTERCEPT_H
#define SHIM_INTERCEPT_H

#include <cerrno>
#include <cstdint>
#include <type_traits>

#include "shim/functions.h"
#include "shim/next.h"
#include "shim/session.h"

// For each interposed function.
#define RDMAFAULT_EXPORT extern "C" [[gnu::visibility("default")]]

// The library's first byte and the end of its code: symbols of the linker.
extern "C" [[gnu::visibility("hidden")]] const char
    __ehdr_start;  // NOLINT(bugprone-dynamic-static-initializers): the linker defines it
extern "C" [[gnu::visibility(
    "hidden")]] const char etext;  // NOLINT(bugprone-dynamic-static-initializers): the linker defines it

namespace rdmafault {

// Pointers and numbers as a record holds them.
template <class T>
inline std::int64_t as_number(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(value));
  } else {
    return static_cast<std::int64_t>(value);
  }
}
inline std::uint64_t as_handle(const void* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// Fills the arguments in the order of the function's row.
template <class... T>
inline void record_args(Call& call, T... values) {
  static_assert(sizeof...(values) <= RDMAFAULT_MAX_ARGS);
  std::size_t i = 0;
  ((call.args[i++] = as_number(values)), ...);
}

// The failure that a rule injects, reported in F's convention.
template <Function F, class R>
inline R failure(const Call& call) {
  constexpr rdmafault_convention kConvention = convention_of(F);
  if constexpr (kConvention == RDMAFAULT_POINTER) {
    errno = call.value;
    return nullptr;
  } else if constexpr (kConvention == RDMAFAULT_CODE) {
    return call.value;
  } else {
    static_assert(kConvention == RDMAFAULT_MINUS_ONE || kConvention == RDMAFAULT_GAI);
    if (call.action == RDMAFAULT_RETVAL) return call.value;
    errno = call.value;
    return -1;
  }
}

// Nothing to record.
inline constexpr auto kNothing = [](Call&, auto...) {};

// The caller, given a return address. A next function may end with a jump to an interposed function
// (librdmacm's rdma_destroy_event_channel jumps to free), which then returns into the shim: the caller is the
// next function.
inline const void* caller_of(const void* return_address) {
  const bool is_ours = return_address >= &__ehdr_start && return_address < &etext;
  return is_ours && thread.inside != 0 ? reinterpret_cast<const void*>(thread.inside + 1) : return_address;
}

// One call of F, made from `caller`.
//
//   before(call, args...)         records what is known before the call: arguments, the handle to release
//   after(call, result, args...)  records what was acquired, if the call was really made
//   forward(args...)              makes the call
template <Function F, class Before, class After, class Forward, class... Args>
[[gnu::noinline]] auto intercept_with(Forward forward, const void* caller, Before before, After after,
                                      Args... args) -> decltype(forward(args...)) {
  using R = decltype(forward(args...));
  if (thread.suspended != 0) return forward(args...);
  Call call(F, caller_of(caller));
  before(call, args...);
  enter(call);
  const std::uint16_t depth = thread.depth++;
  const std::uint64_t outside = thread.inside;
  thread.inside = reinterpret_cast<std::uint64_t>(detail::Next<F>::pointer.load(std::memory_order_relaxed));
  if constexpr (std::is_void_v<R>) {
    forward(args...);
    thread.depth = depth;
    thread.inside = outside;
    leave(call, 0, errno);
  } else {
    R result;
    if (call.injected) {
      result = failure<F, R>(call);
    } else {
      result = forward(args...);
      const int error = errno;
      after(call, result, args...);
      errno = error;
    }
    thread.depth = depth;
    thread.inside = outside;
    leave(call, as_number(result), errno);
    return result;
  }
}

// The same, forwarding to the next function.
template <Function F, class Before, class After, class... Args>
inline auto intercept(const void* caller, Before before, After after, Args... args) {
  return intercept_with<F>([](auto... all) { return next<F>(all...); }, caller, before, after, args...);
}

}  // namespace rdmafault

#endif  // SHIM_INTERCEPT_H
