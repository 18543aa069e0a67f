// SPDX-License-Identifier: BSD-3-Clause
#include "shim/bench/ratios.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace rpmaconf::bench {
namespace {

// Splits FAMILY/SIDE/ARGUMENTS.
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

// Keeps each repetition's time and prints nothing.
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
      const bool real = !run.run_name.time_type.empty();  // real time was requested
      times_[name].push_back(real ? run.GetAdjustedRealTime() : run.GetAdjustedCPUTime());
    }
  }

  std::vector<Ratio> ratios(std::span<const Goal> goals) const {
    std::vector<Ratio> list;
    for (const std::string& full : order_) {
      const Name name(full);
      const auto bare = times_.find(name.family + "/bare" + name.arguments);
      if (name.side == "bare" || bare == times_.end()) continue;
      Ratio row = ratio_of(full, times_.at(full), bare->second, "ns");
      for (const Goal& goal : goals)
        if (goal.family == name.family && goal.side == name.side) row.goal = goal.ratio;
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

constexpr const char* kKeys[] = {"ratio", "low", "high", "bare"};

}  // namespace

Ratio ratio_of(std::string name, const std::vector<double>& own, const std::vector<double>& bare,
               std::string unit) {
  Ratio row;
  row.name = std::move(name);
  row.samples = std::min(own.size(), bare.size());
  std::vector<double> ratios;
  for (size_t i = 0; i < row.samples; ++i) ratios.push_back(own[i] / bare[i]);
  row.ratio = quantile(ratios, 0.5);
  row.low = quantile(ratios, 0.25);
  row.high = quantile(ratios, 0.75);
  row.bare = quantile(bare, 0.5);
  row.unit = std::move(unit);
  return row;
}

std::string table_of(const std::vector<Ratio>& ratios) {
  std::string text;
  char line[160];
  const auto add = [&](auto... values) {
    std::snprintf(line, sizeof(line), values...);
    text += line;
  };
  add("%-44s %8s  %-17s %6s %15s\n", "", "ratio", "quartiles", "goal", "of");
  for (const Ratio& row : ratios) {
    char goal[16] = "-";
    if (row.goal) std::snprintf(goal, sizeof(goal), "%.2f", *row.goal);
    add("%-44s %8.3f  %7.3f - %7.3f %6s %12.1f %s\n", row.name.c_str(), row.ratio, row.low, row.high, goal,
        row.bare, row.unit.c_str());
  }
  return text;
}

void report(std::vector<Ratio> ratios, const std::string& file) {
  std::sort(ratios.begin(), ratios.end(), [](const Ratio& a, const Ratio& b) { return a.name < b.name; });
  std::fputs(table_of(ratios).c_str(), stdout);
  if (file.empty()) return;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Ratio& row : ratios) {
    list.push_back({{"name", row.name}, {"ratio", row.ratio}, {"low", row.low}, {"high", row.high}});
    if (row.goal) list.back()["goal"] = *row.goal;
    list.back().update({{"bare", row.bare}, {"unit", row.unit}, {"samples", row.samples}});
  }
  const std::string part = file + ".part";
  std::ofstream stream(part);
  stream << list.dump(2) << '\n';
  stream.close();
  if (!stream || std::rename(part.c_str(), file.c_str()) != 0)
    throw std::runtime_error("cannot write " + file + ": " + std::strerror(errno));
}

namespace {

std::vector<Ratio> parse_ratios(std::istream& stream) {
  std::vector<Ratio> list;
  for (const nlohmann::json& row : nlohmann::json::parse(stream)) {
    Ratio one;
    one.name = row.at("name");
    double* const values[] = {&one.ratio, &one.low, &one.high, &one.bare};
    for (size_t i = 0; i < std::size(kKeys); ++i) *values[i] = row.at(kKeys[i]);
    if (row.contains("goal")) one.goal = row["goal"].get<double>();
    one.unit = row.at("unit");
    one.samples = row.at("samples");
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

std::vector<Ratio> read_ratios(const std::string& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file + ": " + std::strerror(errno));
  try {
    return parse_ratios(stream);
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(file +
                             " does not hold ratios; make it again with ci/bench --output: " + error.what());
  }
}

int run(int argc, char** argv, std::span<const Goal> goals) {
  std::string file;
  // Our options first, then the given ones: the last one counts.
  std::vector<std::string> words = {argv[0], "--benchmark_enable_random_interleaving=true",
                                    "--benchmark_repetitions=41", "--benchmark_min_time=0.02"};
  for (int i = 1; i < argc; ++i)
    if (std::strcmp(argv[i], "--ratios") == 0 && i + 1 < argc)
      file = argv[++i];
    else
      words.emplace_back(argv[i]);
  std::vector<char*> arguments;
  arguments.reserve(words.size());
  for (std::string& word : words) arguments.push_back(word.data());
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  Collector collector;
  benchmark::RunSpecifiedBenchmarks(&collector);
  for (const std::string& error : collector.failed()) std::fprintf(stderr, "%s\n", error.c_str());
  report(collector.ratios(goals), file);
  return collector.failed().empty() ? 0 : 1;
}

}  // namespace rpmaconf::bench
