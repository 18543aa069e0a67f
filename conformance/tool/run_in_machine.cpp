// SPDX-License-Identifier: BSD-3-Clause
//
// `run --provider rxe` without a device: the same command, in an rxe machine.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/harness/kernel_log.h"
#include "conformance/harness/library.h"
#include "conformance/report/report.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/machine.h"
#include "conformance/tool/results.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> inner_command(const RunOptions& options, const Machine& machine,
                                       const fs::path& report) {
  std::vector<std::string> command = command_in_machine("run", options, machine);
  command.insert(command.end(),
                 {"--filter=" + options.filter, "--seed", std::to_string(options.seed), "--report", report});
  if (options.jobs > 0) command.insert(command.end(), {"--jobs", std::to_string(options.jobs)});
  if (options.complete) command.emplace_back("--complete");
  if (!options.shard.empty()) command.insert(command.end(), {"--shard", options.shard});
  if (!options.baseline.empty())
    command.insert(command.end(), {"--baseline", fs::absolute(options.baseline)});
  return command;
}

// The run in the machine came to no end of its own. What had been obtained is kept; where the machine was
// lost, the kernel's last words are judged.
int report_partial(const RunOptions& options, ReportFolder& report, const fs::path& partial,
                   const std::string& why, const std::string& last_words) {
  RunResult run = result_for(options);
  std::error_code error;  // what the points were is worth having, not worth losing the rest for
  fs::copy_file(partial / "points.jsonl", report.path() / "points.jsonl",
                fs::copy_options::overwrite_existing, error);
  for (const TestResult& test : read_journal(partial / "results.jsonl")) {
    run.tests.push_back(test);
    report.add(test);
  }
  Outcome outcome = Outcome::of(Verdict::Broken, why);
  std::istringstream lines(last_words);
  for (std::string line; std::getline(lines, line);) {
    run.kernel_log.push_back(line);
    if (outcome.verdict() != Verdict::Crash && is_finding(verdict_on_kernel_line(line, true)))
      outcome = Outcome::of(Verdict::Crash, "the machine was lost after its kernel said: " + line);
  }
  run.tests.push_back(kernel_result(outcome));
  for (const Test& test : all_tests())
    if (test.runs_on(kRxe)) ++run.in_profile;
  // How many the filter would have selected is not known out here; at least one more than ran.
  run.selected = options.filter == "*" && options.shard.empty() ? run.in_profile : run.tests.size() + 1;
  report.add(run.tests.back());
  report.finish(run);
  fmt::print("{}report: {}\n", to_text(run, as_typed(options)), report.path().string());
  return exit_code_of(run);
}

void copy_report(const fs::path& from, const fs::path& to) {
  for (const char* name : {"results.jsonl", "points.jsonl", "report.json", "junit.xml", "report.html"}) {
    std::error_code error;
    fs::copy_file(from / name, to / name, fs::copy_options::overwrite_existing, error);
    if (error)
      throw SetupError(
          fmt::format("the run's {} could not be fetched from the machine: {}", name, error.message()));
  }
}

}  // namespace

int run_in_machine(const RunOptions& options) {
  ReportFolder report(options.report);
  const Machine machine(options);
  const fs::path inner_report = machine.share() / fmt::format("report-{}", getpid());
  const int status = machine.exec(inner_command(options, machine, inner_report));
  std::ofstream(report.path() / "kernel.log") << machine.log();
  const bool lost = status == kMachineLost;
  if (lost || status > kIncomplete)
    return report_partial(options, report, inner_report,
                          lost ? "the machine was lost, and its kernel left no word about it"
                               : fmt::format("the run in the machine was ended (status {})", status),
                          lost ? machine.log() : "");
  // Without a report nothing was tested, and the run has said why.
  if (fs::exists(inner_report / "report.json")) {
    copy_report(inner_report, report.path());
    fmt::print("report: {}\n", report.path().string());
  } else if (status <= kFinding) {
    throw SetupError("the run in the machine left no report");
  }
  std::error_code error;
  fs::remove_all(inner_report, error);
  return status;
}

}  // namespace conformance
