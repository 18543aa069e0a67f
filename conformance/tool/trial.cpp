// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/trial.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"
#include "conformance/tool/machine.h"
#include "conformance/tool/process.h"

namespace conformance {

namespace fs = std::filesystem;

namespace {

// The output of the trial.
fs::path log_of(const Trial& trial) {
  return trial.report / "log";
}

int start(const Trial& trial, const RunOptions& options) {
  const Parts parts = find_parts();
  RunOptions inner = options;
  inner.subject = "iut";
  if (inner.librpma.empty()) inner.librpma = trial.defect == nullptr ? parts.reference : parts.defects;
  std::vector<std::string> command = {
      "env", fmt::format("RPMACONF_DEFECT={}", trial.defect == nullptr ? "" : trial.defect->name),
      parts.program, "run"};
  const std::vector<std::string> surroundings = surroundings_of(inner);
  command.insert(command.end(), surroundings.begin(), surroundings.end());
  command.insert(command.end(), {"--filter", trial.filter, "--jobs", std::to_string(trial.jobs), "--seed",
                                 std::to_string(trial.seed), "--report", trial.report});
  if (!trial.shard.empty()) command.insert(command.end(), {"--shard", trial.shard});
  make_report_folder(trial.report, {"log"});
  const int process = start_program(command, log_of(trial));
  if (process < 0) throw SetupError("cannot start a process for a trial; use fewer --jobs");
  return process;
}

}  // namespace

void need_listeners() {
  for (const fs::path& part : {find_parts().reference, find_parts().defects})
    if (!fs::exists(part))
      throw SetupError(
          fmt::format("{} is missing; build the whole project, or install it again", part.string()));
}

void run_trials(const std::vector<Trial>& trials, unsigned at_a_time, const RunOptions& options,
                const std::function<void(const Trial&, int)>& ended) {
  std::vector<int> processes;
  for (size_t i = 0; i < trials.size(); ++i) {
    while (processes.size() < std::min(trials.size(), i + at_a_time))
      processes.push_back(start(trials[processes.size()], options));
    ended(trials[i], wait_for_program(processes[i]));
  }
}

std::optional<RunResult> report_of(const Trial& trial) {
  const fs::path file = trial.report / "report.json";
  if (is_absent(file)) return std::nullopt;
  return read_report(file, "start the trials anew");
}

std::string last_words_of(const Trial& trial) {
  std::ifstream log(log_of(trial));
  return last_line_of(log);
}

int run_trials_in_machine(const std::string& verb, const RunOptions& options,
                          const std::vector<std::string>& more, const std::string& document) {
  make_report_folder(options.report, {document});
  const Machine machine(options);
  const fs::path inner_report = machine.share() / fmt::format("{}-{}", verb, getpid());
  std::vector<std::string> command = command_in_machine(verb, options, machine);
  command.insert(command.end(), {"--report", inner_report});
  if (options.jobs > 0) command.insert(command.end(), {"--jobs", std::to_string(options.jobs)});
  command.insert(command.end(), more.begin(), more.end());
  const int status = machine.exec(command);
  std::error_code error;
  fs::copy(inner_report, options.report, fs::copy_options::overwrite_existing | fs::copy_options::recursive,
           error);
  fs::remove_all(inner_report, error);
  if (status == kMachineLost) machine.report_loss(verb);
  if (fs::exists(options.report / document))
    fmt::print("{}: {}\n", verb, (options.report / document).string());
  return status;
}

}  // namespace conformance
