// SPDX-License-Identifier: BSD-3-Clause
//
// What something costs beside something else, in one run. Google Benchmark measures both in turn, many times
// over and in random order; here their figures become ratios.
//
//   RPMACONF_RATIO(malloc_free, "disarmed", 1.10)   registers nothing by itself: benchmarks do, by their names
//
// A benchmark's name is FAMILY/SIDE or FAMILY/SIDE/ARGUMENTS. The side "bare" is what the others of its family and
// arguments are divided by.
#pragma once

#include <span>
#include <string_view>

namespace rpmaconf::bench {

inline constexpr std::string_view kBare = "bare";

// Which ratio is wanted, at most.
struct Goal {
  std::string_view family;
  std::string_view side;
  double ratio;
};

// For main(): runs what is registered and prints a table. Beside Google Benchmark's own options there is
//
//   --ratios FILE    where the same goes as JSON, one array of objects:
//                    {"name", "ratio", "low", "high", "goal"?, "bare_ns", "samples"}
//
// `ratio` is the median of the ratios of the samples, `low` and `high` their quartiles. Returns main()'s exit code: a
// goal that is missed is no failure, since nothing here is asserted.
int run(int argc, char** argv, std::span<const Goal> goals);

}  // namespace rpmaconf::bench
