// SPDX-License-Identifier: BSD-3-Clause
#include "shim/bench/ratios.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rpmaconf::bench {
namespace {

// FAMILY/SIDE/ARGUMENTS apart.
struct Name {
  std::string family;
  std::string side;
  std::string arguments;

  explicit Name(const std::string& text) {
    const size_t first = text.find('/');
    const size_t second = text.find('/', first + 1);
    family = text.substr(0, first);
    side = first == std::string::npos ? "" : text.substr(first + 1, second - first - 1);
    arguments = second == std::string::npos ? "" : text.substr(second);
  }
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double at = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (at - static_cast<double>(below));
}

// Keeps each repetition's time and says nothing meanwhile.
class Collector : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context& /*context*/) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration) continue;
      if (run.error_occurred) {
        failed_.push_back(run.benchmark_name() + ": " + run.error_message);
        continue;
      }
      const std::string name = run.run_name.function_name +
                               (run.run_name.args.empty() ? "" : "/" + run.run_name.args) +
                               (run.run_name.threads.empty() ? "" : "/" + run.run_name.threads);
      if (!times_.contains(name)) order_.push_back(name);
      const bool real = !run.run_name.time_type.empty();  // it was asked for
      times_[name].push_back(real ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime());
    }
  }

  nlohmann::ordered_json ratios(std::span<const Goal> goals) const {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const std::string& full : order_) {
      const Name name(full);
      if (name.side == kBare) continue;
      const auto bare = times_.find(name.family + "/" + std::string(kBare) + name.arguments);
      if (bare == times_.end()) continue;
      const std::vector<double>& own = times_.at(full);
      const size_t count = std::min(own.size(), bare->second.size());
      std::vector<double> ratios;
      for (size_t i = 0; i < count; ++i) ratios.push_back(own[i] / bare->second[i]);
      nlohmann::ordered_json row = {{"name", full},
                                    {"ratio", quantile(ratios, 0.5)},
                                    {"low", quantile(ratios, 0.25)},
                                    {"high", quantile(ratios, 0.75)}};
      for (const Goal& goal : goals)
        if (goal.family == name.family && goal.side == name.side) row["goal"] = goal.ratio;
      row["bare_ns"] = quantile(bare->second, 0.5);
      row["samples"] = count;
      list.push_back(std::move(row));
    }
    return list;
  }
  const std::vector<std::string>& failed() const { return failed_; }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<double>> times_;
  std::vector<std::string> failed_;
};

void print(const nlohmann::ordered_json& ratios) {
  std::printf("%-46s %8s  %-15s %6s %12s\n", "", "ratio", "quartiles", "goal", "bare");
  for (const auto& row : ratios) {
    std::string goal = "-";
    if (row.contains("goal")) {
      goal.resize(16);
      goal.resize(static_cast<size_t>(std::snprintf(goal.data(), goal.size(), "%.2f", row["goal"].get<double>())));
    }
    std::printf("%-46s %8.3f  %6.3f - %6.3f %6s %9.1f ns\n", row["name"].get<std::string>().c_str(),
                row["ratio"].get<double>(), row["low"].get<double>(), row["high"].get<double>(), goal.c_str(),
                row["bare_ns"].get<double>());
  }
}

}  // namespace

int run(int argc, char** argv, std::span<const Goal> goals) {
  std::string file;
  // Ours first, then those given: the last one counts.
  std::vector<std::string> words = {argv[0], "--benchmark_enable_random_interleaving=true",
                                    "--benchmark_repetitions=15", "--benchmark_min_time=0.02"};
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--ratios") == 0 && i + 1 < argc)
      file = argv[++i];
    else
      words.emplace_back(argv[i]);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  for (const std::string& error : collector.failed()) std::fprintf(stderr, "%s\n", error.c_str());
  const nlohmann::ordered_json ratios = collector.ratios(goals);
  print(ratios);
  if (!file.empty()) std::ofstream(file) << ratios.dump(2) << '\n';
  return collector.failed().empty() ? 0 : 1;
}

}  // namespace rpmaconf::bench
