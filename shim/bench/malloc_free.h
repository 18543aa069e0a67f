// SPDX-License-Identifier: BSD-3-Clause
//
// malloc and free beside libc's own: the load that the shim and its peers are measured with.
#pragma once

#include <benchmark/benchmark.h>
#include <dlfcn.h>

#include <cstdlib>

namespace rpmaconf::bench {

struct Allocator {
  void* (*allocate)(std::size_t size);
  void (*release)(void* block);
};

// What a call in this program reaches: whatever stands in front of libc.
inline Allocator global_allocator() {
  return {std::malloc, std::free};
}

// libc's own, past whatever stands in front of it.
inline Allocator libc_allocator() {
  void* const libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
  return {reinterpret_cast<void* (*)(std::size_t)>(dlsym(libc, "malloc")),
          reinterpret_cast<void (*)(void*)>(dlsym(libc, "free"))};
}

// Both sides go through pointers, as a call into a shared library does.
inline void malloc_free(benchmark::State& state, const Allocator& allocator) {
  const auto size = static_cast<std::size_t>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    void* block = allocator.allocate(size);
    benchmark::DoNotOptimize(block);
    allocator.release(block);
  }
}

inline void for_sizes(benchmark::internal::Benchmark* one) {
  for (const int size : {16, 256, 4096, 65536}) one->Arg(size);
  one->Threads(1)->Threads(2);
}

}  // namespace rpmaconf::bench
