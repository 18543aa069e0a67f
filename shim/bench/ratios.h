// SPDX-License-Identifier: BSD-3-Clause
//
// What something costs beside something else, in one run: both are measured in turn, many times over, and
// their figures become ratios. Nothing is asserted.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rpmaconf::bench {

// One ratio. `name` is FAMILY/SIDE/ARGUMENTS.
struct Ratio {
  std::string name;
  double ratio = 0;  // median of those of the samples
  double low = 0;    // their quartiles
  double high = 0;
  std::optional<double> goal;  // at most
  double bare = 0;             // median of what is divided by
  std::string unit;            // of `bare`
  size_t samples = 0;
};

// Of samples that were taken in turn; the i-th of each belong together. `own` and `bare` have one size, not
// 0.
Ratio ratio_of(std::string name, const std::vector<double>& own, const std::vector<double>& bare,
               std::string unit);

// Both throw std::runtime_error with the file's name. Where `file` is empty, only the table is printed.
void report(std::vector<Ratio> ratios, const std::string& file);
std::vector<Ratio> read_ratios(const std::string& file);
std::string table_of(const std::vector<Ratio>& ratios);

// What is wanted of a family's side.
struct Goal {
  std::string_view family;
  std::string_view side;
  double ratio;
};

// For main(): has Google Benchmark run what is registered, in random order. The side "bare" of a family is
// what the other sides with the same arguments are divided by. Options are Google Benchmark's own, and
// --ratios FILE (JSON). Returns main()'s exit code; a goal that is missed is no failure.
int run(int argc, char** argv, std::span<const Goal> goals);

}  // namespace rpmaconf::bench
