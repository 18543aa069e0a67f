// SPDX-License-Identifier: BSD-3-Clause
//
// Whole runs of the tool: with two jobs compared with one, and a run in an rxe machine compared with its
// boot.
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/bench/command_line.h"
#include "conformance/tool/process.h"
#include "conformance/tool/temporary_folder.h"
#include "shim/bench/ratios.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;
using rpmaconf::bench::Ratio;
using rpmaconf::bench::ratio_of;

constexpr double kTwoJobs = 1 / 1.8;
// Many points without hangs, for some seconds on each provider.
constexpr const char* kBusyOnMock = "--filter=Sweep.*:Listen.*:Pairs.*";
constexpr const char* kBusyOnKernel = "--filter=Sweep.ProviderCalls/*";

// The seconds that the command takes. Its output is ignored. It must exit with 0 or `also`.
double seconds_of(const std::vector<std::string>& command, int also = 0) {
  const auto begin = std::chrono::steady_clock::now();
  const int code = wait_for_program(start_program(command, "/dev/null"));
  if (code != 0 && code != also)
    throw std::runtime_error(fmt::format("{} {} ended with {}", command[0], command[1], code));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// The seconds per point from the run's report, so without the start of the tool and the machine's first
// command.
double seconds_per_point(std::vector<std::string> command, const fs::path& report, const char* jobs) {
  command.insert(command.end(), {"--jobs", jobs, "--report", report});
  seconds_of(command);
  std::ifstream file(report / "report.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  double points = 0;
  for (const nlohmann::json& test : document.at("tests")) points += test.at("points").get<double>();
  return document.at("seconds").get<double>() / points;
}

struct Options {
  std::string provider = "mock";
  int samples = 5;
  bool whole = false;
  std::string ratios;
  std::string tool;
  std::string machine;
};

int measure(const Options& options) {
  const auto& [provider, count, whole, ratios, tool, machine] = options;
  const TemporaryFolder folder;
  const std::string state = folder.path() / "machine";
  std::vector<Ratio> rows;
  std::vector<std::string> run = {tool, "run", "--provider", provider,
                                  provider == "mock" ? kBusyOnMock : kBusyOnKernel};
  if (provider == "rxe") {
    seconds_of({machine, "start", "--state", state});
    run.insert(run.end(), {"--machine", state});
  }
  std::vector<double> one;
  std::vector<double> two;
  for (int i = 0; i < count; ++i) {
    one.push_back(seconds_per_point(run, folder.path() / "one", "1"));
    two.push_back(seconds_per_point(run, folder.path() / "two", "2"));
  }
  rows.push_back(ratio_of(fmt::format("run/two-jobs/{}", provider), two, one, "points/s"));
  rows.back().bare = 1 / rows.back().bare;
  rows.back().goal = kTwoJobs;
  if (provider == "rxe") seconds_of({machine, "stop", "--state", state});
  if (whole && provider == "rxe") {
    std::vector<double> boot;
    std::vector<double> all;
    for (int i = 0; i < 3; ++i) {
      boot.push_back(seconds_of({machine, "start", "--state", state}));
      seconds_of({machine, "stop", "--state", state});
    }
    // One run for all boots: boots differ more than runs.
    constexpr int kFinding = 1;
    all.assign(boot.size(),
               seconds_of({tool, "run", "--provider", "rxe", "--report", folder.path() / "whole"}, kFinding));
    rows.push_back(ratio_of("run/whole/rxe", all, boot, "s"));
  }
  rpmaconf::bench::report(std::move(rows), ratios);
  return 0;
}

int main_or_throw(int argc, char** argv) {
  Options options;
  CLI::App app{"What whole runs of the tool cost"};
  app.add_option("--provider", options.provider, "mock or rxe")->check(CLI::IsMember({"mock", "rxe"}));
  app.add_option("--samples", options.samples, "runs with one job and with two")->check(CLI::Range(1, 1000));
  app.add_flag("--whole", options.whole, "also compare a whole run on rxe with the boot of a machine");
  app.add_option("--ratios", options.ratios, "file for the ratios");
  app.add_option("tool", options.tool, "rpma-conformance")->required();
  app.add_option("machine", options.machine, "the rxe machine's command")->required();
  if (const std::optional<int> code = exit_code_of_parsing(app, argc, argv)) return *code;
  return measure(options);
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  try {
    return conformance::main_or_throw(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 2;
  }
}
