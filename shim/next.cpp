// SPDX-License-Identifier: BSD-3-Clause
//
// Looks up the next functions.
#include "shim/next.h"

#include <dlfcn.h>
#include <unistd.h>

#include "shim/text.h"

namespace rdmafault {
namespace {

constinit thread_local unsigned finding = 0;

struct Entry {
  const char* name;
  rdmafault_kind kind;
  void (*publish)(void* found);
};

constexpr Entry kEntries[] = {
#define RDMAFAULT_FUNCTION(name, kind, ...) {#name, RDMAFAULT_##kind, &detail::Next<Function::name>::publish},
#include "shim/functions.inc"
};

}  // namespace

namespace detail {

void* block_of_arena(std::size_t size) {
  Next<Function::free>::pointer.store(&Next<Function::free>::guard, std::memory_order_relaxed);
  Next<Function::realloc>::pointer.store(&Next<Function::realloc>::guard, std::memory_order_relaxed);
  Next<Function::reallocarray>::pointer.store(&Next<Function::reallocarray>::guard,
                                              std::memory_order_relaxed);
  return arena::allocate(size);
}

void* move_out_of_arena(void* block, std::size_t size) {
  void* const moved = next<Function::malloc>(size);
  if (moved == nullptr) return nullptr;
  const std::size_t old = arena::size_of(block);
  return std::memcpy(moved, block, old < size ? old : size);
}

}  // namespace detail

bool is_finding_next() {
  return finding != 0;
}

void abort_without_next(Function function) {
  char text[256];
  Line(text) << "librdmafault: " << kEntries[static_cast<std::size_t>(function)].name
             << " was called, but no library after librdmafault.so in the global scope has it: link "
                "librdmacm, or load "
                "it with RTLD_GLOBAL\n";
  // If the message cannot be written, nothing else can be done.
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) std::abort();
  std::abort();
}

// All are found before any is published: until then allocations of dlsym() go to the stubs, so that the arena
// gets both the allocation and its release.
const char* find_all_next() {
  const int saved = errno;
  void* found[kFunctionCount];
  ++finding;
  for (std::size_t i = 0; i < kFunctionCount; ++i) found[i] = dlsym(RTLD_NEXT, kEntries[i].name);
  --finding;
  errno = saved;
  const char* missing = nullptr;
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    kEntries[i].publish(found[i]);
    if (found[i] != nullptr || kEntries[i].kind != RDMAFAULT_PROVIDER) continue;
    if (missing == nullptr) missing = kEntries[i].name;
  }
  return missing;
}

}  // namespace rdmafault
