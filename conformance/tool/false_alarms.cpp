// SPDX-License-Identifier: BSD-3-Clause
//
// `false-alarms`: counts runs that report findings in a correct listener. Runs differ in seed, jobs and
// shards. Each must pass, and its shards together must run each test once.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/report/half_file.h"
#include "conformance/report/report.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"
#include "conformance/tool/trial.h"
#include "conformance/version.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDocument = "false-alarms.json";

// How the runs differ. Without a common divisor, so that twelve runs have each pair.
constexpr unsigned kMostJobs = 4;
constexpr unsigned kMostShards = 3;

struct Run {
  unsigned number;  // from 1
  unsigned ended = 0;
  std::set<std::string> tests = {};
  std::vector<std::string> alarms = {};

  [[nodiscard]] unsigned jobs() const { return 1 + (number - 1) % kMostJobs; }
  [[nodiscard]] unsigned shards() const { return 1 + (number - 1) % kMostShards; }
};

class FalseAlarms {
 public:
  FalseAlarms(RunOptions options, const FalseAlarmOptions& what)
      : options_(std::move(options)), first_(what.first), wanted_(what.runs) {
    need_listeners();
    make_report_folder(options_.report, {kDocument});
    const unsigned provider = provider_named(options_.provider);
    for (const Test& test : all_tests())
      if (test.runs_on(provider)) tests_.insert(test.id());
    if (options_.provider != "mock") tests_.insert(std::string(kKernelTest));
  }

  int run() {
    const auto begin = std::chrono::steady_clock::now();
    // Runs on a kernel share its device list, so they go one at a time.
    const unsigned at_a_time = options_.provider == "mock" ? jobs_of(options_) : 1;
    std::vector<Trial> trials;
    for (unsigned number = first_; number < first_ + wanted_; ++number) {
      runs_.push_back({number});
      for (unsigned shard = 1; shard <= runs_.back().shards(); ++shard)
        trials.push_back(trial_of(runs_.back(), shard));
    }
    run_trials(trials, at_a_time, options_,
               [this](const Trial& trial, int status) { note(runs_[trial.seed - first_], trial, status); });
    return conclude(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }

 private:
  [[nodiscard]] Trial trial_of(const Run& run, unsigned shard) const {
    Trial trial;
    trial.jobs = run.jobs();
    trial.seed = run.number;
    if (run.shards() > 1) trial.shard = fmt::format("{}/{}", shard, run.shards());
    trial.report = options_.report / fmt::format("run-{}-{}", run.number, shard);
    return trial;
  }

  // Keeps the report of a trial with findings.
  void note(Run& run, const Trial& trial, int status) {
    const std::string shard = trial.shard.empty() ? "" : fmt::format(" --shard {}", trial.shard);
    const auto alarm = [&](const std::string& what) {
      run.alarms.push_back(
          fmt::format("run {} (--seed {} --jobs {}{}): {}", run.number, trial.seed, trial.jobs, shard, what));
      fmt::print("ALARM: {}\n", run.alarms.back());
    };
    const std::optional<RunResult> result = report_of(trial);
    if (result) add(run, *result, alarm);
    if (status == kConforms) {
      fs::remove_all(trial.report);
    } else {
      const Outcome outcome =
          result ? verdict_on(*result, "iut") : Outcome::of(Verdict::Broken, last_words_of(trial));
      alarm(fmt::format("exit code {}, {}: {}", status, name_of(outcome.verdict()), outcome.reason()));
    }
    if (++run.ended < run.shards()) return;
    if (run.tests != tests_) alarm(fmt::format("{} of {} tests ran", run.tests.size(), tests_.size()));
    if (!run.alarms.empty()) ++alarms_;
    ++ended_;
    const unsigned step = std::max(1u, wanted_ / 20);
    if (ended_ % step == 0 || ended_ == wanted_)
      fmt::print("{} of {} runs, {} with an alarm\n", ended_, wanted_, alarms_);
    std::fflush(stdout);
  }

  template <class Alarm>
  void add(Run& run, const RunResult& result, Alarm alarm) {
    for (const TestResult& test : result.tests)
      if (!run.tests.insert(test.id).second && test.id != kKernelTest) alarm(test.id + " ran in two shards");
    for (const Finding& finding : findings_of(result))
      if (finding.module != "iut")
        ++others_[fmt::format("{} by {}: {}", finding.clause, finding.module, finding.signature)];
    points_ += points_of(result);
  }

  int conclude(double seconds) {
    const double rate = static_cast<double>(alarms_) / wanted_;
    fmt::print("\n{} runs of {} tests on {}, {} points, {:.0f} s\n", wanted_, tests_.size(),
               options_.provider, points_, seconds);
    for (const auto& [finding, runs] : others_)
      fmt::print("not by the listener: {}, in {} reports\n", finding, runs);
    fmt::print("false alarms: {} in {} runs ({:.2f} %)\n", alarms_, wanted_, 100 * rate);
    // Where the rate is higher, N runs without an alarm are less likely than one in twenty.
    const double most = 1 - std::pow(0.05, 1.0 / wanted_);
    if (alarms_ == 0) fmt::print("with 95 % confidence fewer than {:.2f} % of runs raise one\n", 100 * most);
    nlohmann::ordered_json alarms = nlohmann::ordered_json::array();
    for (const Run& run : runs_)
      for (const std::string& alarm : run.alarms) alarms.push_back(alarm);
    const int code = alarms_ == 0 ? kConforms : kFinding;
    const nlohmann::ordered_json document = {
        {"schema", "rpma-conformance-false-alarms/1"},
        {"suite", {{"version", kVersion}, {"commit", kCommit}}},
        {"provider", options_.provider},
        {"librpma", options_.librpma.empty() ? "the reference listener" : options_.librpma},
        {"first", first_},
        {"runs", wanted_},
        {"with_an_alarm", alarms_},
        {"rate", rate},
        {"points", points_},
        {"seconds", seconds},
        {"alarms", alarms},
        {"findings_of_others", others_},
        {"exit_code", code}};
    write_whole(options_.report / kDocument, document.dump(2) + "\n");
    if (!options_.in_machine) fmt::print("false-alarms: {}\n", (options_.report / kDocument).string());
    fmt::print("exit code {}\n", code);
    if (wants_json()) print_document(document);
    return code;
  }

  RunOptions options_;
  unsigned first_;  // number of the first run
  unsigned wanted_;
  std::set<std::string> tests_;  // that each run must have run
  std::vector<Run> runs_;
  unsigned ended_ = 0;
  unsigned alarms_ = 0;  // runs with one
  size_t points_ = 0;
  std::map<std::string, unsigned> others_;  // findings that do not accuse the listener
};

}  // namespace

int false_alarms_here(const RunOptions& options, const FalseAlarmOptions& what) {
  return FalseAlarms(options, what).run();
}

int false_alarms_in_machine(const RunOptions& options, const FalseAlarmOptions& what) {
  return run_trials_in_machine("false-alarms", options,
                               {"--runs", std::to_string(what.runs), "--first", std::to_string(what.first)},
                               kDocument);
}

}  // namespace conformance
