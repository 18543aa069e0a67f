// SPDX-License-Identifier: BSD-3-Clause
//
// Which of its calls a rule makes fail: a pure function of the rule and the call's number. A seed fixes the
// whole schedule, and a reader of a log can compute it again.
#include <cstdint>

#include "shim/rdmafault.h"

namespace {

// The n-th output of the SplitMix64 generator that starts at `seed`.
uint64_t random_at(uint64_t seed, uint64_t n) {
  uint64_t z = seed + n * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

}  // namespace

int rdmafault_rule_fires(const rdmafault_rule* rule, uint64_t call) {
  if (call < rule->first || call > rule->last) return 0;
  if (rule->step > 1 && (call - rule->first) % rule->step != 0) return 0;
  constexpr uint32_t kAll = 1000000;
  return rule->prob_ppm >= kAll || random_at(rule->seed, call) % kAll < rule->prob_ppm;
}
