// SPDX-License-Identifier: BSD-3-Clause
//
// The next functions: what an interposed function forwards to. Each next pointer starts at a stub, which
// looks up the function, stores it in the pointer and calls it; so a call needs no check.
//
// Functions that take a block are special: the block may be from the arena, and libc must never see such a
// block. Few programs use the arena, so the check is made only after its first use: before a block is taken
// from the arena, the pointers of these functions are set to a guard, and they stay there.
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

// Look up all next functions, also the known ones, since libraries may have been loaded or unloaded. Keeps
// errno. Returns the name of the first provider function without a next one, or nullptr.
const char* find_all_next();

// Whether the calling thread is in find_all_next(): its allocations come from the arena until all allocators
// are found.
bool is_finding_next();

// Print which function has no next one, and abort: an error return would look like an injected fault.
[[noreturn]] void abort_without_next(Function function);

namespace detail {

// A block of the arena; sets the guards first.
void* block_of_arena(std::size_t size);

// What realloc does with a block of the arena.
void* move_out_of_arena(void* block, std::size_t size);

// The type of a pointer to a function, without noexcept.
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

// An allocator, while it is being looked up: memory for dlsym() from the arena.
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
  // Blocks of the arena do not get here (see Next::guard()); the size of others is unknown.
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

// What a function that takes a block does with a block of the arena.
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

  // What the pointer is set to once the arena is used.
  static R guard(A... args) requires(takes_block(F)) {
    const auto next = found.load(std::memory_order_relaxed);
    if (next == nullptr || arena::owns(first_of(args...))) return stub(args...);
    return next(args...);
  }

  // Sets the next function to what was found; nullptr: to the stub.
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

// Calls the next function.
template <Function F, class... Args>
inline auto next(Args... args) {
  return detail::Next<F>::pointer.load(std::memory_order_relaxed)(args...);
}

}  // namespace rdmafault

#endif  // SHIM_NEXT_H
