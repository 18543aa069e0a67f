// SPDX-License-Identifier: BSD-3-Clause
//
// `run --provider rxe` without a device: the same command, in an rxe machine.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/catalogue/profile.h"
#include "conformance/harness/kernel_log.h"
#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/half_file.h"
#include "conformance/report/report.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/baseline.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/folder_lock.h"
#include "conformance/tool/machine.h"
#include "conformance/tool/process.h"
#include "conformance/tool/results.h"
#include "conformance/tool/run_record.h"
#include "conformance/tool/worker.h"

namespace conformance {
namespace {

constexpr const char* kInnerReport = "report-";  // and a number

namespace fs = std::filesystem;

std::vector<std::string> inner_command(const RunOptions& options, const Machine& machine,
                                       const fs::path& report) {
  std::vector<std::string> command = command_in_machine("run", options, machine);
  command.insert(command.end(),
                 {"--filter=" + options.filter, "--seed", std::to_string(options.seed), "--report", report});
  if (options.jobs > 0) command.insert(command.end(), {"--jobs", std::to_string(options.jobs)});
  if (options.complete) command.emplace_back("--complete");
  command.insert(command.end(), {"--profile", options.profile});
  if (options.resume) command.emplace_back("--continue");
  if (!options.waivers.empty()) command.insert(command.end(), {"--waivers", options.waivers});
  if (!options.shard.empty()) command.insert(command.end(), {"--shard", options.shard});
  if (!options.baseline.empty()) command.insert(command.end(), {"--baseline", options.baseline});
  return command;
}

// The run in the machine ended early. Its results are kept; if the machine was lost, its last kernel messages
// are judged.
int report_partial(const RunOptions& options, const std::string& why, const std::string& last_words) {
  ReportFolder report(options.report, true);
  RunResult run = result_for(options);
  run.tests = report.earlier().tests;
  run.kernel_log = report.earlier().kernel_log;
  run.resumed = report.earlier().resumed;
  if (report.earlier().header) run.started = report.earlier().header->value("started", "");
  Outcome outcome = Outcome::of(Verdict::Broken, why);
  std::istringstream lines(last_words);
  for (std::string line; std::getline(lines, line);) {
    run.kernel_log.push_back(line);
    const Verdict verdict = verdict_on_kernel_line(line, true);
    if (verdict != Verdict::Pass) report.add_kernel_line(line);  // a resumed run judges it too
    if (outcome.verdict() != Verdict::Crash && is_finding(verdict))
      outcome = Outcome::of(Verdict::Crash, "the machine was lost after the kernel message: " + line);
  }
  for (const TestResult& test : run.tests) run.experiments += test.experiments;
  run.tests.push_back(kernel_result(outcome));
  const Profile profile = find_profile(profiles_in(find_parts().profiles), options.profile);
  run.profile = {profile.name, profile.version, profile.sha256, profile.rulings_sha256};
  run.in_profile = profile.tests_on("rxe").size();
  // The number of selected tests is not known here: at least one more than ran.
  run.selected = options.filter == "*" && options.shard.empty() ? run.in_profile : run.tests.size() + 1;
  report.add(run.tests.back());
  report.finish(run);
  print_run(run, as_typed(options));
  print_where_report_is(report.path(), false);
  return exit_code_of(run);
}

bool was_interrupted(const fs::path& report) {
  return !read_report(report / "report.json", "run it again").interrupted.empty();
}

// Follows no links: a user who can write to a folder must not choose other files.
template <typename Names>
void copy_files(const fs::path& from, const fs::path& to, const Names& names, const fs::path& report) {
  constexpr Expected kExpected = {.what = "file of a run that can go on",
                                  .hint = "start the run anew, in another folder",
                                  .most_bytes = kMostJournalBytes,
                                  .links = false};
  for (const char* name : names)
    if (!is_absent(from / name))
      write_whole(to / name, read_file(from / name, kExpected), how_to_go_on(report));
}

// A folder of this user, not a link.
bool is_ours(const fs::path& folder) {
  struct stat status = {};
  return lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

// run.json may be forged. Only a report in the share of a machine, and a machine in a temporary folder, may
// be stopped and removed.
void need_folders_of_a_run(const RunRecord& record) {
  const fs::path share = record.inner_report.parent_path();
  const fs::path state = share.parent_path();
  const bool is_machine = share.filename() == "share" && fs::exists(state / "lock") && is_ours(state);
  const bool is_report = record.inner_report.filename().string().starts_with(kInnerReport);
  const bool is_own = record.machine.empty() ||
                      (record.machine == state && TemporaryFolder::is_name(state.filename().string()));
  if (!is_machine || !is_report || !is_own)
    throw SetupError(fmt::format(
        "run.json in {} names {}, which is not the report of a run in an rxe machine; start a new run",
        record.options.report.string(), record.inner_report.string()));
}

// After SIGKILL, the results are still in the machine's share, and the machine may be running.
void take_over(const RunOptions& options) {
  const RunRecord record = read_run_record(options.report);
  if (record.inner_report.empty()) return;
  // A removed machine has left nothing.
  if (is_absent(record.machine.empty() ? record.inner_report : record.machine)) return;
  need_folders_of_a_run(record);
  if (!record.machine.empty()) {
    const fs::path& machine = find_parts().machine;
    add_to_kernel_log(options.report, output_of({machine, "log", "--state", record.machine}));
    run_program({machine, "stop", "--state", record.machine});  // it writes no more results
  }
  copy_files(record.inner_report, options.report, kJournals, options.report);
  std::error_code error;
  fs::remove_all(record.machine.empty() ? record.inner_report : record.machine, error);
}

}  // namespace

int run_in_machine(const RunOptions& options) {
  // Before a machine is started.
  if (!options.baseline.empty()) static_cast<void>(Baseline(options.baseline, options.provider));
  if (const int code = try_to_load(options); code != kConforms) return code;
  make_report_folder(options.report, {});
  const FolderLock lock(options.report);
  if (options.resume) take_over(options);
  clear_report_folder(options.report, options.resume);
  write_run_record(
      {options, {}, {}});  // fails before a machine is started if the folder cannot be written to
  const Machine machine(options);
  const fs::path inner_report = machine.share() / fmt::format("{}{}", kInnerReport, getpid());
  if (options.resume) {
    fs::create_directories(inner_report);
    copy_files(options.report, inner_report, kJournals, options.report);
  }
  write_run_record({options, options.machine.empty() ? machine.state() : fs::path(), inner_report});
  const int status = machine.exec(inner_command(options, machine, inner_report));
  copy_files(inner_report, options.report, kJournals, options.report);
  add_to_kernel_log(options.report, machine.log());
  write_run_record({options, {}, {}});
  const bool lost = status == kMachineLost;
  if (lost || status > kIncomplete)
    return report_partial(options,
                          lost ? "the machine was lost without a kernel message"
                               : fmt::format("the run in the machine was ended (status {})", status),
                          lost ? machine.log() : "");
  // Without a report nothing was tested, and the run has printed why.
  if (fs::exists(inner_report / "report.json")) {
    copy_files(inner_report, options.report, kDocuments, options.report);
    print_where_report_is(options.report, was_interrupted(options.report));
  } else if (status <= kFinding) {
    throw SetupError(fmt::format(
        "the run in the machine ended with status {} and without a report; run it again", status));
  }
  std::error_code error;
  fs::remove_all(inner_report, error);
  return status;
}

}  // namespace conformance
