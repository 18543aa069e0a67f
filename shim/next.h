// SPDX-License-Identifier: BSD-3-Clause
//
// The next functions: what an interposed function forwards to. Each next pointer starts out at a stub that
// looks the function up, puts it in the stub's place and goes on to it, so a call needs no check.
//
// Functions that take a block are special, since it may be the arena's: libc must never see one, and they are
// never given back. Hardly a program has any, so the check is made only where the arena was ever used.
// Whoever takes a block from it puts the guard into the pointers of these functions first, and nobody takes
// it out again: a block can be passed on only after that.
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

// A block of the arena, which the functions that take a block are prepared for.
void* block_of_arena(std::size_t size);

// What a block of the arena becomes where it is given to libc's realloc.
void* move_out_of_arena(void* block, std::size_t size);

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
  static void* call(std::size_t size) { return block_of_arena(size); }
};
template <>
struct Bootstrap<Function::calloc> {
  static void* call(std::size_t count, std::size_t size) {
    std::size_t whole = 0;
    return __builtin_mul_overflow(count, size, &whole) ? nullptr : block_of_arena(whole);
  }
};
template <>
struct Bootstrap<Function::realloc> {
  // The arena's own blocks do not get here (see Next::guard()); another one has an unknown size.
  static void* call(void* block, std::size_t size) {
    return block == nullptr ? block_of_arena(size) : nullptr;
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

// What a function that takes a block does with one of the arena's.
template <Function F>
struct OfArena;
template <>
struct OfArena<Function::free> {
  static void call(void* /*block*/) {}
};
template <>
struct OfArena<Function::realloc> {
  static void* call(void* block, std::size_t size) { return move_out_of_arena(block, size); }
};
template <>
struct OfArena<Function::reallocarray> {
  static void* call(void* block, std::size_t count, std::size_t size) {
    std::size_t whole = 0;
    if (!__builtin_mul_overflow(count, size, &whole)) return move_out_of_arena(block, whole);
    errno = ENOMEM;
    return nullptr;
  }
};
constexpr bool takes_block(Function f) {
  return f == Function::free || f == Function::realloc || f == Function::reallocarray;
}

template <Function F, class Pointer = typename Declared<F>::Pointer>
struct Next;

template <class... Rest>
const void* first_of(const void* block, Rest... /*rest*/) {
  return block;
}

template <Function F, class R, class... A>
struct Next<F, R (*)(A...)> {
  using Pointer = R (*)(A...);

  static R stub(A... args) {
    if constexpr (takes_block(F)) {
      if (arena::owns(first_of(args...))) return OfArena<F>::call(args...);
    }
    if constexpr (kind_of(F) == RDMAFAULT_ALLOCATOR) {
      if (is_finding_next()) return Bootstrap<F>::call(args...);
    }
    find_all_next();
    const auto next = found.load(std::memory_order_relaxed);
    if (next == nullptr) abort_without_next(F);
    return next(args...);
  }

  // In the pointer's place for good once the arena was used.
  static R guard(A... args) requires(takes_block(F)) {
    const auto next = found.load(std::memory_order_relaxed);
    if (next == nullptr || arena::owns(first_of(args...))) return stub(args...);
    return next(args...);
  }

  // Takes what was found as the next function; where that is nothing, the stub.
  static void publish(void* address) {
    const auto next = reinterpret_cast<Pointer>(address);
    found.store(next, std::memory_order_relaxed);
    const Pointer wanted = next != nullptr ? next : &stub;
    if constexpr (takes_block(F)) {
      Pointer old = pointer.load(std::memory_order_relaxed);
      while (old != &guard && !pointer.compare_exchange_weak(old, wanted, std::memory_order_relaxed)) {
      }
    } else {
      pointer.store(wanted, std::memory_order_relaxed);
    }
  }

  // NOLINTBEGIN(bugprone-dynamic-static-initializers): constinit
  static inline constinit std::atomic<Pointer> pointer = &stub;  // what is called
  static inline constinit std::atomic<Pointer> found = nullptr;  // what dlsym found
  // NOLINTEND(bugprone-dynamic-static-initializers)
};

}  // namespace detail

// Calls the function's next one.
template <Function F, class... Args>
inline auto next(Args... args) {
  return detail::Next<F>::pointer.load(std::memory_order_relaxed)(args...);
}

}  // namespace rdmafault

#endif  // SHIM_NEXT_H
