// SPDX-License-Identifier: BSD-3-Clause
//
// What a run chooses of that which is too much for every run: one seed fixes every choice.
#pragma once

#include <cstdint>
#include <random>

namespace conformance {

struct Choice {
  uint64_t seed = 1;
  bool all = false;  // nothing is left out
};

// The same numbers on every machine, which the standard's distributions do not promise.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  // From 0 to below `end`, which is not 0.
  uint64_t below(uint64_t end) { return engine_() % end; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace conformance
