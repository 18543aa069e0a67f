// SPDX-License-Identifier: BSD-3-Clause
//
// Whole runs of the tool: with two experiments at a time beside one, and a run in an rxe machine beside the
// bare start of one.
//
//   run_bench [--provider mock|rxe] [--samples N] [--whole] [--ratios FILE] TOOL MACHINE
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "conformance/tool/temporary_folder.h"
#include "shim/bench/ratios.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;
using rpmaconf::bench::Ratio;
using rpmaconf::bench::ratio_of;

constexpr double kTwoJobs = 1 / 1.8;
// Many points and nobody that hangs, for some seconds on each provider.
constexpr const char* kBusyOnMock = "--filter=Sweep.*:Listen.*:Pairs.*";
constexpr const char* kBusyOnKernel = "--filter=Sweep.ProviderCalls/*";

// Seconds that the command takes. What it prints is of no interest as long as it ends with 0 or `also`.
double seconds_of(const std::vector<std::string>& command, int also = 0) {
  std::vector<char*> argv;
  argv.reserve(command.size() + 1);
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t quiet{};
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", 1, 0);
  posix_spawn_file_actions_adddup2(&quiet, 1, 2);
  const auto begin = std::chrono::steady_clock::now();
  pid_t pid = -1;
  int status = posix_spawnp(&pid, argv[0], &quiet, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  if (status != 0 || waitpid(pid, &status, 0) != pid)
    throw std::runtime_error(command[0] + " cannot be started");
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code != 0 && code != also)
    throw std::runtime_error(fmt::format("{} {} ended with {}", command[0], command[1], code));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Seconds for a point, by the run's own account of itself: without the start of the tool and the machine's
// first command.
double seconds_per_point(std::vector<std::string> command, const fs::path& report, const char* jobs) {
  command.insert(command.end(), {"--jobs", jobs, "--report", report});
  seconds_of(command);
  std::ifstream file(report / "report.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  double points = 0;
  for (const nlohmann::json& test : document.at("tests")) points += test.at("points").get<double>();
  return document.at("seconds").get<double>() / points;
}

int measure(std::vector<std::string> words) {
  const auto option = [&words](const std::string& name) {
    const auto at = std::find(words.begin(), words.end(), name);
    if (at == words.end() || at + 1 == words.end()) return std::string();
    std::string value = *(at + 1);
    words.erase(at, at + 2);
    return value;
  };
  const std::string ratios = option("--ratios");
  const std::string asked = option("--provider");
  const std::string samples = option("--samples");
  const std::string provider = asked.empty() ? "mock" : asked;
  const bool whole = std::erase(words, "--whole") > 0;
  if (words.size() != 2) {
    fmt::print(
        stderr,
        "usage: run_bench [--provider mock|rxe] [--samples N] [--whole] [--ratios FILE] TOOL MACHINE\n");
    return 2;
  }
  const std::string tool = words[0];
  const std::string machine = words[1];
  const int count =
      samples.empty() ? 5 : std::max(1, static_cast<int>(std::strtol(samples.c_str(), nullptr, 10)));

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
    // One run beside each boot: what it takes hardly differs, where one boot and the next do.
    constexpr int kFinding = 1;
    all.assign(boot.size(),
               seconds_of({tool, "run", "--provider", "rxe", "--report", folder.path() / "whole"}, kFinding));
    rows.push_back(ratio_of("run/whole/rxe", all, boot, "s"));
  }
  rpmaconf::bench::report(std::move(rows), ratios);
  return 0;
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  try {
    return conformance::measure({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 2;
  }
}
