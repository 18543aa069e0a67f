// SPDX-License-Identifier: BSD-3-Clause
//
// The same load for another preload library: run this program under it.
#include "shim/bench/malloc_free.h"
#include "shim/bench/ratios.h"

int main(int argc, char** argv) {
  using namespace rpmaconf::bench;
  for_sizes(benchmark::RegisterBenchmark("malloc_free/bare", malloc_free<Libc>));
  for_sizes(benchmark::RegisterBenchmark("malloc_free/peer", malloc_free<AsLinked>));
  return run(argc, argv, {});
}
