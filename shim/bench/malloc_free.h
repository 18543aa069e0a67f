// SPDX-License-Identifier: BSD-3-Clause
//
// malloc and free beside libc's own: the load that the shim and its peers are measured with.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdlib>

// libc's own functions, by the names under which nobody stands in front of them.
extern "C" void* __libc_malloc(std::size_t size);  // NOLINT(bugprone-reserved-identifier)
extern "C" void __libc_free(void* block);          // NOLINT(bugprone-reserved-identifier)

namespace rpmaconf::bench {

// What a call in this program reaches: whatever stands in front of libc. Both sides are called as any program
// calls into a shared library.
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
