// SPDX-License-Identifier: BSD-3-Clause
//
// malloc and free, and libc's own for comparison: the load for the shim and for other preload libraries.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>

// libc's functions, by names that no preload library replaces.
extern "C" void* __libc_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier)
extern "C" void __libc_free(void* block);          // NOLINT(bugprone-reserved-identifier)

namespace rpmaconf::bench {

// The functions that this program's calls reach: those of a preload library, if there is one. Both sides are
// called through the PLT, as any program calls a shared library.
struct AsLinked {
  static void* allocate(std::size_t size) { return std::malloc(size); }
  static void release(void* block) { std::free(block); }
};
struct Libc {
  static void* allocate(std::size_t size) { return __libc_malloc(size); }
  static void release(void* block) { __libc_free(block); }
};

template <class Allocator>
void malloc_free(benchmark::State& state) {
  const auto size = static_cast<std::size_t>(state.range(0));
  for ([[maybe_unused]] auto _ : state) {
    Allocator::release(Allocator::allocate(size));
  }
}

inline void for_sizes(benchmark::internal::Benchmark* one) {
  for (const int size : {16, 256, 4096, 65536}) one->Arg(size);
  one->Threads(1)->Threads(2);
}

}  // namespace rpmaconf::bench
