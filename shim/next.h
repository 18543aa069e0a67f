// SPDX-License-Identifier: BSD-3-Clause
//
// The next functions: what an interposed function forwards to. Each next pointer starts out at a stub that
// looks the function up, puts it in the stub's place and goes on to it, so a call needs no check.
#ifndef SHIM_NEXT_H
#define SHIM_NEXT_H

#include <malloc.h>
#include <rdma/rdma_cma.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "shim/arena.h"
#include "shim/functions.h"

namespace rdmafault {

// Looks all next functions up, again where they were known, since libraries may have come and gone. Leaves
// errno alone. Returns the name of the first provider function without a next one, or nullptr.
const char* find_all_next();

// Whether the calling thread is in find_all_next() right now: what it allocates there comes from the arena,
// until all allocators have been found.
bool is_finding_next();

// Says which function has no next one, and aborts: an error return would look like a fault.
[[noreturn]] void abort_without_next(Function function);

namespace detail {

// The type of a pointer to a function, without noexcept, which would only get in the way.
template <class R, class... A>
R (*plain(R (*)(A...)))
(A...);

template <Function F>
struct Declared;
#define RDMAFAULT_FUNCTION(name, ...)         \
  template <>                                 \
  struct Declared<Function::name> {           \
    using Pointer = decltype(plain(&::name)); \
  };
#include "shim/functions.inc"

// What an allocator does for dlsym(), while it is being looked up itself.
template <Function F>
struct Bootstrap {
  template <class... A>
  static std::nullptr_t call(A...) {
    errno = ENOMEM;
    return nullptr;
  }
};
template <>
struct Bootstrap<Function::malloc> {
  static void* call(std::size_t size) { return arena::allocate(size); }
};
template <>
struct Bootstrap<Function::calloc> {
  static void* call(std::size_t count, std::size_t size) {
    std::size_t whole = 0;
    return __builtin_mul_overflow(count, size, &whole) ? nullptr : arena::allocate(whole);
  }
};
template <>
struct Bootstrap<Function::realloc> {
  // The arena's own blocks do not get here (see realloc_any()); another one has an unknown size.
  static void* call(void* block, std::size_t size) {
    return block == nullptr ? arena::allocate(size) : nullptr;
  }
};
template <>
struct Bootstrap<Function::posix_memalign> {
  static int call(void** /*block*/, std::size_t /*alignment*/, std::size_t /*size*/) { return ENOMEM; }
};
template <>
struct Bootstrap<Function::free> {
  static void call(void* /*block*/) {}
};

template <Function F, class Pointer = typename Declared<F>::Pointer>
struct Next;

template <Function F, class R, class... A>
struct Next<F, R (*)(A...)> {
  static R stub(A... args) {
    if constexpr (kind_of(F) == RDMAFAULT_ALLOCATOR) {
      if (is_finding_next()) return Bootstrap<F>::call(args...);
    }
    find_all_next();
    const auto found = pointer.load(std::memory_order_relaxed);
    if (found == &stub) abort_without_next(F);
    return found(args...);
  }

  // Takes what was found as the next function; where that is nothing, the stub.
  static void publish(void* found) {
    pointer.store(found != nullptr ? reinterpret_cast<R (*)(A...)>(found) : &stub, std::memory_order_relaxed);
  }

  // NOLINTNEXTLINE(bugprone-dynamic-static-initializers): constinit
  static inline constinit std::atomic<R (*)(A...)> pointer = &stub;
};

}  // namespace detail

// Calls the function's next one.
template <Function F, class... Args>
inline auto next(Args... args) {
  return detail::Next<F>::pointer.load(std::memory_order_relaxed)(args...);
}

}  // namespace rdmafault

#endif  // SHIM_NEXT_H
