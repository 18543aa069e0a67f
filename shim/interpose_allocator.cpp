// SPDX-License-Identifier: BSD-3-Clause
//
// The interposed functions of libc's allocator.
#include <malloc.h>

#include <cstdlib>
#include <cstring>

#include "shim/intercept.h"

namespace rdmafault {
namespace {

constexpr auto kAcquiresResult = [](Call& call, void* made, auto...) { call.acquired = as_handle(made); };

}  // namespace
}  // namespace rdmafault

using rdmafault::as_handle;
using rdmafault::Call;
using rdmafault::can_be_skipped;
using rdmafault::disarmed;
using rdmafault::Function;
using rdmafault::intercept;
using rdmafault::kAcquiresResult;
using rdmafault::kNothing;
using rdmafault::next;
using rdmafault::record_args;

// glibc's parameter names are reserved.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)

RDMAFAULT_EXPORT void* malloc(std::size_t size) noexcept {
  if (disarmed()) [[likely]]
    return next<Function::malloc>(size);
  if (can_be_skipped(Function::malloc, __builtin_return_address(0))) return next<Function::malloc>(size);
  return intercept<Function::malloc>(
      __builtin_return_address(0), [](Call& call, std::size_t bytes) { record_args(call, bytes); },
      kAcquiresResult, size);
}

RDMAFAULT_EXPORT void* calloc(std::size_t count, std::size_t size) noexcept {
  if (disarmed()) [[likely]]
    return next<Function::calloc>(count, size);
  if (can_be_skipped(Function::calloc, __builtin_return_address(0)))
    return next<Function::calloc>(count, size);
  return intercept<Function::calloc>(
      __builtin_return_address(0),
      [](Call& call, std::size_t elements, std::size_t bytes) { record_args(call, elements, bytes); },
      kAcquiresResult, count, size);
}

RDMAFAULT_EXPORT void* realloc(void* block, std::size_t size) noexcept {
  if (disarmed()) [[likely]]
    return next<Function::realloc>(block, size);
  if (can_be_skipped(Function::realloc, __builtin_return_address(0)))
    return next<Function::realloc>(block, size);
  return intercept<Function::realloc>(
      __builtin_return_address(0),
      [](Call& call, void* old, std::size_t bytes) {
        record_args(call, bytes);
        call.released = as_handle(old);
      },
      kAcquiresResult, block, size);
}

RDMAFAULT_EXPORT void* reallocarray(void* block, std::size_t count, std::size_t size) noexcept {
  if (disarmed()) [[likely]]
    return next<Function::reallocarray>(block, count, size);
  if (can_be_skipped(Function::reallocarray, __builtin_return_address(0)))
    return next<Function::reallocarray>(block, count, size);
  return intercept<Function::reallocarray>(
      __builtin_return_address(0),
      [](Call& call, void* old, std::size_t elements, std::size_t bytes) {
        record_args(call, elements, bytes);
        call.released = as_handle(old);
      },
      kAcquiresResult, block, count, size);
}

RDMAFAULT_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t size) noexcept {
  if (disarmed()) [[likely]]
    return next<Function::posix_memalign>(block, alignment, size);
  if (can_be_skipped(Function::posix_memalign, __builtin_return_address(0)))
    return next<Function::posix_memalign>(block, alignment, size);
  return intercept<Function::posix_memalign>(
      __builtin_return_address(0),
      [](Call& call, void**, std::size_t boundary, std::size_t bytes) { record_args(call, boundary, bytes); },
      [](Call& call, int result, void** made, auto...) {
        if (result == 0) call.acquired = as_handle(*made);
      },
      block, alignment, size);
}

RDMAFAULT_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept {
  if (disarmed()) [[likely]]
    return next<Function::aligned_alloc>(alignment, size);
  if (can_be_skipped(Function::aligned_alloc, __builtin_return_address(0)))
    return next<Function::aligned_alloc>(alignment, size);
  return intercept<Function::aligned_alloc>(
      __builtin_return_address(0),
      [](Call& call, std::size_t boundary, std::size_t bytes) { record_args(call, boundary, bytes); },
      kAcquiresResult, alignment, size);
}

RDMAFAULT_EXPORT void* memalign(std::size_t alignment, std::size_t size) noexcept {
  if (disarmed()) [[likely]]
    return next<Function::memalign>(alignment, size);
  if (can_be_skipped(Function::memalign, __builtin_return_address(0)))
    return next<Function::memalign>(alignment, size);
  return intercept<Function::memalign>(
      __builtin_return_address(0),
      [](Call& call, std::size_t boundary, std::size_t bytes) { record_args(call, boundary, bytes); },
      kAcquiresResult, alignment, size);
}

RDMAFAULT_EXPORT void free(void* block) noexcept {
  if (disarmed()) [[likely]]
    return next<Function::free>(block);
  if (can_be_skipped(Function::free, __builtin_return_address(0))) return next<Function::free>(block);
  intercept<Function::free>(
      __builtin_return_address(0), [](Call& call, void* gone) { call.released = as_handle(gone); }, kNothing,
      block);
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
