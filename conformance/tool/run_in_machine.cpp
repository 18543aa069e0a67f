// SPDX-License-Identifier: BSD-3-Clause
//
// `run --provider rxe` without a device: the same command, in an rxe machine.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "conformance/harness/kernel_log.h"
#include "conformance/harness/library.h"
#include "conformance/report/report.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/process.h"
#include "conformance/version.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

constexpr int kMachineLost = 125;  // what `machine exec` returns where the machine died under the command

// A machine of this run's own, or one that runs already and is left running.
class Machine {
 public:
  explicit Machine(const RunOptions& options) : command_(find_parts().machine) {
    if (!fs::exists(command_))
      throw SetupError(
          fmt::format("{} is missing; build the whole project, or install it again", command_.string()));
    if (!options.machine.empty()) {
      state_ = fs::absolute(options.machine);
      return;
    }
    std::string folder = (fs::temp_directory_path() / "rpma-conformance-XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
      throw SetupError(
          fmt::format("cannot make a folder in {}; set TMPDIR", fs::temp_directory_path().string()));
    state_ = folder;
    own_ = true;
    std::vector<std::string> start = {command_, "start", "--state", state_};
    if (!options.kernel.empty()) start.insert(start.end(), {"--kernel", options.kernel});
    // It has said itself, in one line, which step failed.
    if (run_program(start) != 0) {
      stop();
      throw SetupError("the rxe machine did not start; 'rpma-conformance doctor' shows what is missing");
    }
  }
  ~Machine() {
    if (own_) stop();
  }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  Machine(Machine&&) = delete;
  Machine& operator=(Machine&&) = delete;

  [[nodiscard]] std::map<std::string, std::string> environment() const {
    std::map<std::string, std::string> values;
    std::ifstream file(state_ / "env");
    for (std::string line; std::getline(file, line);)
      if (const size_t equals = line.find('='); equals != std::string::npos)
        values[line.substr(0, equals)] = line.substr(equals + 1);
    if (!values.contains("DEVICE") || !values.contains("ADDR"))
      throw SetupError(
          fmt::format("no rxe machine runs in {}; start one there, or leave --machine out", state_.string()));
    return values;
  }

  [[nodiscard]] fs::path share() const { return state_ / "share"; }

  [[nodiscard]] int exec(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all = {command_, "exec", "--state", state_, "--"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_program(all);
  }

  [[nodiscard]] std::string log() const { return output_of({command_, "log", "--state", state_}); }

 private:
  void stop() {
    run_program({command_, "stop", "--state", state_});
    std::error_code error;
    fs::remove_all(state_, error);
  }

  fs::path command_;
  fs::path state_;
  bool own_ = false;
};

std::vector<std::string> inner_command(const RunOptions& options, const Machine& machine,
                                       const fs::path& report) {
  const auto environment = machine.environment();
  std::vector<std::string> command = {find_parts().program,
                                      "run",
                                      "--in-machine",
                                      "--provider",
                                      "rxe",
                                      "--device",
                                      environment.at("DEVICE"),
                                      "--addr",
                                      options.address.empty() ? environment.at("ADDR") : options.address,
                                      "--judge",
                                      options.subject,
                                      "--filter=" + options.filter,
                                      "--jobs",
                                      std::to_string(options.jobs),
                                      "--timeout",
                                      std::to_string(options.timeout),
                                      "--report",
                                      report};
  const auto add = [&command](const char* name, const std::string& value) {
    if (!value.empty()) command.insert(command.end(), {name, value});
  };
  add("--librpma", options.librpma);
  add("--rdma-core", options.rdma_core);
  if (!options.baseline.empty()) add("--baseline", fs::absolute(options.baseline));
  add("--kernel", options.kernel);  // has no effect in there; findings name it
  return command;
}

// The run in the machine came to no end of its own. What had been obtained is kept; where the machine was
// lost, the kernel's last words are judged.
int report_partial(const RunOptions& options, ReportFolder& report, const fs::path& partial,
                   const std::string& why, const std::string& last_words) {
  RunResult run;
  run.suite_version = kVersion;
  run.suite_commit = kCommit;
  run.provider = options.provider;
  run.filter = options.filter;
  run.subject = options.subject;
  run.jobs = options.jobs;
  std::ifstream journal(partial / "results.jsonl");
  for (std::string line; std::getline(journal, line);) {
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (json.is_discarded()) break;  // the line at which it died
    run.tests.push_back(test_from_json(json));
    report.add(run.tests.back());
  }
  TestResult kernel;
  kernel.id = kKernelTest;
  kernel.verdict = Verdict::Broken;
  kernel.reason = why;
  std::istringstream lines(last_words);
  for (std::string line; std::getline(lines, line);) {
    run.kernel_log.push_back(line);
    if (kernel.verdict != Verdict::Crash && is_finding(verdict_on_kernel_line(line, true))) {
      kernel.verdict = Verdict::Crash;
      kernel.reason = "the machine was lost after its kernel said: " + line;
    }
  }
  kernel.clauses.push_back(
      {"STACK-KERNEL-1", kernel.verdict, kernel.reason, "kernel", std::string(kKernelTest)});
  run.tests.push_back(kernel);
  for (const Test& test : all_tests())
    if (test.runs_on(kRxe)) ++run.in_profile;
  // How many the filter would have selected is not known out here; at least one more than ran.
  run.selected = options.filter == "*" ? run.in_profile : run.tests.size() + 1;
  report.add(kernel);
  report.finish(run);
  fmt::print("{}report: {}\n", to_text(run, command_of(options)), report.path().string());
  return exit_code_of(run);
}

void copy_report(const fs::path& from, const fs::path& to) {
  for (const char* name : {"results.jsonl", "report.json", "junit.xml"}) {
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
