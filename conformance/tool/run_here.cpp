// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/catalogue/profile.h"
#include "conformance/harness/holdings.h"
#include "conformance/harness/interruption.h"
#include "conformance/harness/kernel_log.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"
#include "conformance/report/surroundings.h"
#include "conformance/report/waivers.h"
#include "conformance/suite/runner.h"
#include "conformance/tool/baseline.h"
#include "conformance/tool/command_line.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/device_lock.h"
#include "conformance/tool/folder_lock.h"
#include "conformance/tool/gate.h"
#include "conformance/tool/progress.h"
#include "conformance/tool/results.h"
#include "conformance/tool/run_record.h"
#include "conformance/tool/suggest.h"
#include "conformance/tool/target.h"
#include "conformance/tool/worker.h"

namespace conformance {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

// Describes the stack and the calls of an undisturbed call. After an early end, only the stack is known.
void describe_undisturbed(const Library& library, const Target& target, SuiteRunner& runner, RunResult& run) {
  try {
    const Observation& control = runner.ordinary().observation;
    run.calls = runner.undisturbed_calls();
    if (control.module_count > 0) {
      run.stack = describe_stack(library, target, control);
      return;
    }
  } catch (const Interrupted&) {  // no control has run
  }
  // Without a control, the modules of this process are listed.
  Observation own{};
  list_modules(own);
  run.stack = describe_stack(library, target, own);
}

std::string test_suggestion_for(const std::string& filter) {
  const std::string similar = did_you_mean(filter, test_names());
  return similar.empty() ? "; 'rpma-conformance list' shows the tests" : similar;
}

// Must be the same in each part of a resumed run.
nlohmann::ordered_json header_of(const Library& library, const Target& target, const RunResult& run) {
  nlohmann::ordered_json header = {{"started", run.started},
                                   {"suite", run.suite_commit},
                                   {"provider", run.provider},
                                   {"profile", run.profile.sha256}};
  Observation own{};
  list_modules(own);
  for (const StackModule& module : describe_stack(library, target, own).modules)
    header[module.path] = module.sha256;
  return header;
}

}  // namespace

int run_here(const RunOptions& options) {
  const Profile profile = find_profile(profiles_in(find_parts().profiles), options.profile);
  if (profile.rulings_sha256 != hash_of_rulings())
    throw SetupError(fmt::format(
        "profile {} has other rulings than this suite; choose a newer version with --profile NAME/VERSION",
        profile.id()));
  RunResult run = result_for(options);
  run.started = utc_now();
  WaiverFile given;
  if (!options.waivers.empty()) given = read_waivers(options.waivers, run.started.substr(0, kDaySize));
  std::optional<Baseline> baseline;
  if (!options.baseline.empty()) baseline.emplace(options.baseline, options.provider);
  const bool on_kernel = options.provider != "mock";
  std::optional<DeviceLock> lock;
  if (on_kernel) lock.emplace(false);  // another run may have taken the device away
  const Target target = choose_target(options);
  // Before anything of an earlier report is removed.
  Library library = load_library(options);
  make_report_folder(options.report, {});
  const FolderLock folder_lock(options.report);
  ReportFolder report(options.report, options.resume);
  if (!options.in_machine) write_run_record({options, {}, {}});
  run.profile = {profile.name, profile.version, profile.sha256, profile.rulings_sha256};
  run.subject = roles_of_subject(library, options.subject);
  run.jobs = jobs_of(options);
  report.begin(header_of(library, target, run));
  const auto begin = std::chrono::steady_clock::now();
  watch_for_interruption();

  std::optional<KernelLog> kernel;
  if (on_kernel) kernel.emplace();
  size_t kernel_lines = report.earlier().kernel_log.size();
  if (kernel)
    for (const std::string& line : report.earlier().kernel_log) kernel->add(line);
  // Lines are written as tests end, so that the run can be resumed.
  const auto judge_kernel = [&] {
    Outcome outcome = kernel->judge();
    for (; kernel_lines < kernel->lines().size(); ++kernel_lines)
      report.add_kernel_line(kernel->lines()[kernel_lines]);
    return outcome;
  };

  std::optional<Progress> progress;
  const auto finished = [&](const TestResult& test) {
    if (kernel) judge_kernel();
    run.tests.push_back(test);
    report.add(test);
    progress->end(test);
  };
  SuiteRunner runner(library, target, profile, {run.jobs, std::chrono::seconds(options.timeout)},
                     {options.seed, options.complete},
                     {.started =
                          [&](std::vector<std::string> selected, bool disturbs) {
                            if (on_kernel && disturbs) lock.emplace(true);
                            if (on_kernel && !selected.empty()) selected.emplace_back(kKernelTest);
                            progress.emplace(std::move(selected), report.earlier().tests);
                          },
                      .test_started = [&progress](const std::string& id) { progress->begin(id); },
                      .point_finished =
                          [&report, &progress](const std::string& test, const PointResult& point) {
                            report.add(point, test);
                            progress->point(point);
                          },
                      .test_finished = finished});
  run.tests = report.earlier().tests;
  std::set<std::string> done;
  for (const TestResult& test : run.tests) {
    done.insert(test.id);
    run.seconds += test.seconds;
    run.experiments += test.experiments;
  }
  runner.leave_out(done);
  run.in_profile = profile.tests_on(options.provider).size();
  run.selected = runner.run(options.filter, options.shard);
  if (run.selected == 0) {
    fmt::print(stderr, "rpma-conformance: --filter '{}'{} selects no test on {}{}\n", options.filter,
               options.shard.empty() ? "" : " --shard " + options.shard, options.provider,
               test_suggestion_for(options.filter));
    return kIncomplete;
  }
  run.interrupted = interruption();
  if (kernel) {
    ++run.selected;
    const Outcome outcome = judge_kernel();
    if (run.interrupted.empty()) finished(kernel_result(outcome));
    run.kernel_log = kernel->lines();
  }
  progress->finish();
  describe_undisturbed(library, target, runner, run);
  run.surroundings =
      std::make_shared<const nlohmann::ordered_json>(describe_surroundings(on_kernel ? target.device : ""));
  if (report.earlier().header) run.started = report.earlier().header->value("started", run.started);
  run.resumed = report.earlier().resumed;
  run.experiments += runner.experiments();
  run.timeout_seconds = std::chrono::duration<double>(runner.timeout()).count();
  run.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  apply_waivers(std::move(given.waivers), run);
  if (!options.waivers.empty()) report.keep("waivers.json", given.document);
  report.finish(run);
  print_run(run, as_typed(options));
  if (!options.in_machine) print_where_report_is(report.path(), !run.interrupted.empty());
  return baseline ? gate(*baseline, options.baseline, run) : exit_code_of(run);
}

}  // namespace conformance
