// SPDX-License-Identifier: BSD-3-Clause
//
// The cost of one thing divided by the cost of another, in one run: both are measured in turn, many times.
// Nothing is asserted.
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
  double ratio = 0;  // median of the samples' ratios
  double low = 0;    // their quartiles
  double high = 0;
  std::optional<double> goal;  // upper limit
  double bare = 0;             // median of the bare side
  std::string unit;            // of `bare`
  size_t samples = 0;
};

// The ratio of samples taken in turn: sample i of `own` is divided by sample i of `bare`. Both have the same
// size, not 0.
Ratio ratio_of(std::string name, const std::vector<double>& own, const std::vector<double>& bare,
               std::string unit);

// Both throw std::runtime_error with the file's name. If `file` is empty, only the table is printed.
void report(std::vector<Ratio> ratios, const std::string& file);
std::vector<Ratio> read_ratios(const std::string& file);
std::string table_of(const std::vector<Ratio>& ratios);

// The highest ratio that a side of a family should have.
struct Goal {
  std::string_view family;
  std::string_view side;
  double ratio;
};

// For main(): run all registered benchmarks in random order, with Google Benchmark. Each side of a family is
// divided by the side "bare" with the same arguments. Options: those of Google Benchmark, and --ratios FILE
// (JSON). Returns main()'s exit code; a missed goal is not a failure.
int run(int argc, char** argv, std::span<const Goal> goals);

}  // namespace rpmaconf::bench
