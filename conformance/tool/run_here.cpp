// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <ctime>

#include "conformance/harness/holdings.h"
#include "conformance/harness/kernel_log.h"
#include "conformance/report/report.h"
#include "conformance/suite/runner.h"
#include "conformance/tool/baseline.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/device_lock.h"
#include "conformance/tool/progress.h"
#include "conformance/tool/results.h"
#include "conformance/tool/target.h"

namespace conformance {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

Stack stack_of(const Library& library, const Target& target, SuiteRunner& runner) {
  const Observation& control = runner.ordinary().observation;
  if (control.module_count > 0) return describe_stack(library, target, control);
  // The control never got so far: what this process has loaded is known all the same.
  Observation own{};
  list_modules(own);
  return describe_stack(library, target, own);
}

int compare_with_baseline(const Baseline& baseline, const RunOptions& options, const RunResult& run) {
  const std::vector<std::string> lines = baseline.differences(run);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (!lines.empty()) {
    fmt::print("baseline: differs, exit code 1\n");
    return kFinding;
  }
  // Known findings are what was expected; what was not concluded stays so.
  const int code = exit_code_without_findings(run);
  fmt::print("baseline: the findings are exactly those of {}, exit code {}\n", options.baseline.string(),
             code);
  return code;
}

}  // namespace

int run_here(const RunOptions& options) {
  ReportFolder report(options.report);
  std::optional<Baseline> baseline;
  if (!options.baseline.empty()) baseline.emplace(options.baseline, options.provider);
  const LibraryOptions libraries{options.librpma, options.rdma_core, options.provider == "mock"};
  const bool on_kernel = options.provider != "mock";
  std::optional<DeviceLock> lock;
  if (on_kernel) lock.emplace(false);  // before the device is looked for: another run may have taken it away
  const Target target = choose_target(options);
  Library library = open_library(libraries);

  RunResult run = result_for(options);
  run.started = utc_now();
  run.subject = roles_of_subject(library, options.subject);
  run.jobs = jobs_of(options);
  const auto begin = std::chrono::steady_clock::now();

  std::optional<KernelLog> kernel;
  if (on_kernel) kernel.emplace();

  std::optional<Progress> progress;
  const auto finished = [&](const TestResult& test) {
    run.tests.push_back(test);
    report.add(test);
    progress->end(test);
  };
  SuiteRunner runner(library, target, {run.jobs, std::chrono::seconds(options.timeout)},
                     {options.seed, options.complete},
                     {.started =
                          [&](size_t selected, bool disturbs) {
                            if (on_kernel && disturbs) lock.emplace(true);
                            progress.emplace(selected + (on_kernel && selected > 0 ? 1 : 0));
                          },
                      .test_started = [&progress](const std::string& id) { progress->begin(id); },
                      .point_finished =
                          [&report, &progress](const std::string& test, const PointResult& point) {
                            report.add(point, test);
                            progress->point(test);
                          },
                      .test_finished = finished});
  run.in_profile = runner.tests().size();
  run.selected = runner.run(options.filter, options.shard);
  if (run.selected == 0) {
    fmt::print(
        stderr,
        "rpma-conformance: --filter '{}'{} selects no test on {}; 'rpma-conformance list' shows them\n",
        options.filter, options.shard.empty() ? "" : " --shard " + options.shard, options.provider);
    return kIncomplete;
  }
  if (kernel) {
    ++run.selected;
    finished(kernel_result(kernel->judge()));
    run.kernel_log = kernel->lines();
  }
  progress->finish();
  run.stack = stack_of(library, target, runner);
  run.experiments = runner.experiments();
  run.timeout_seconds = std::chrono::duration<double>(runner.timeout()).count();
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report.finish(run);
  fmt::print("{}", to_text(run, as_typed(options)));
  if (!options.in_machine) fmt::print("report: {}\n", report.path().string());
  return baseline ? compare_with_baseline(*baseline, options, run) : exit_code_of(run);
}

}  // namespace conformance
