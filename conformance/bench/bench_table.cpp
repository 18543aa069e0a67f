// SPDX-License-Identifier: BSD-3-Clause
//
// Collects the ratios of several benchmarks, and prints which of them got worse.
//
// Exit code 1 if a ratio grew by more than its spread in either run; 2 if a file cannot be read.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "conformance/bench/command_line.h"
#include "shim/bench/ratios.h"

namespace {

using rpmaconf::bench::Ratio;
using rpmaconf::bench::read_ratios;

// A line for each ratio that got worse.
std::vector<std::string> worsened(const std::vector<Ratio>& now, const std::vector<Ratio>& then) {
  std::vector<std::string> lines;
  for (const Ratio& row : now) {
    const auto old = std::ranges::find(then, row.name, &Ratio::name);
    if (old == then.end()) continue;  // new
    const double spread = std::max(row.high - row.low, old->high - old->low);
    if (row.ratio - old->ratio > spread)
      lines.push_back(fmt::format("worse: {} is {:.3f}, was {:.3f}, spread {:.3f}", row.name, row.ratio,
                                  old->ratio, spread));
  }
  return lines;
}

int collect(const std::vector<std::string>& files, const std::string& compare, const std::string& ratios) {
  std::vector<Ratio> rows;
  for (const std::string& file : files)
    for (Ratio& row : read_ratios(file)) rows.push_back(std::move(row));
  rpmaconf::bench::report(rows, ratios);
  if (compare.empty()) return 0;
  const std::vector<std::string> lines = worsened(rows, read_ratios(compare));
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (lines.empty()) fmt::print("no ratio is worse than in {} by more than its spread\n", compare);
  return lines.empty() ? 0 : 1;
}

int main_or_throw(int argc, char** argv) {
  std::vector<std::string> files;
  std::string compare;
  std::string ratios;
  CLI::App app{"Collects the ratios of several benchmarks, and prints which of them got worse"};
  app.add_option("--compare", compare, "ratios of an earlier run");
  app.add_option("--ratios", ratios, "file for all ratios");
  app.add_option("files", files, "files with ratios")->required();
  if (const std::optional<int> code = conformance::exit_code_of_parsing(app, argc, argv)) return *code;
  return collect(files, compare, ratios);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return main_or_throw(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_table: {}\n", error.what());
    return 2;
  }
}
