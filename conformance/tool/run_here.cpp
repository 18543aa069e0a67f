// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <chrono>
#include <ctime>
#include <set>
#include <sstream>

#include "conformance/harness/holdings.h"
#include "conformance/harness/kernel_log.h"
#include "conformance/report/report.h"
#include "conformance/suite/runner.h"
#include "conformance/tool/baseline.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/progress.h"
#include "conformance/tool/target.h"
#include "conformance/version.h"

namespace conformance {
namespace {

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

TestResult kernel_result(KernelLog& log, const RunOptions& options) {
  const Outcome outcome = log.judge(options.provider == "rxe");
  TestResult test;
  test.id = kKernelTest;
  test.what = "While the selected tests run, the kernel logs no warning, oops or new taint.";
  test.verdict = outcome.verdict();
  test.reason = outcome.reason();
  test.clauses.push_back(
      {"STACK-KERNEL-1", outcome.verdict(), outcome.reason(), "kernel", std::string(kKernelTest)});
  return test;
}

std::string replay_prefix(const RunOptions& options) {
  std::string command = "rpma-conformance run --provider " + options.provider;
  if (options.librpma != RunOptions{}.librpma) command += " --librpma " + options.librpma;
  if (!options.rdma_core.empty()) command += " --rdma-core " + options.rdma_core;
  if (options.provider == "hw")
    command += fmt::format(" --device {} --addr {}", options.device, options.address);
  return command;
}

// A subject that nobody is would have no findings: a wrong pass.
void check_subject(const Library& library, const std::string& subject) {
  Observation own{};
  list_modules(own);
  std::set<std::string> known = {"stack", "iut", "driver", "kernel"};
  for (const rdmafault_role& row : library.roles) known.insert({row.role, row.module});
  for (const LoadedModule& module : own.modules)
    known.insert(std::filesystem::path(module.path.data()).filename());
  std::istringstream names(subject);
  bool any = false;
  for (std::string name; std::getline(names, name, ','); any = true)
    if (name.empty() || (!known.contains(name) && name.find("-rdmav") == std::string::npos))
      throw SetupError(
          fmt::format("--judge {}: '{}' is no module of this stack; name iut, stack, rdmacm, ibverbs, "
                      "driver, netlink, libc, loader, kernel or a SONAME",
                      subject, name));
  if (!any) throw SetupError("--judge needs a subject: iut, stack, or modules separated by commas");
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
  const int code = exit_code_of(run);
  if (!lines.empty()) {
    fmt::print("baseline: differs, exit code 1\n");
    return kFinding;
  }
  // Known findings are what was expected; what was not concluded stays so.
  const int result = code == kFinding ? int{kConforms} : code;
  fmt::print("baseline: the findings are exactly those of {}, exit code {}\n", options.baseline.string(),
             result);
  return result;
}

}  // namespace

int run_here(const RunOptions& options) {
  ReportFolder report(options.report);
  std::optional<Baseline> baseline;
  if (!options.baseline.empty()) baseline.emplace(options.baseline, options.provider);
  const LibraryOptions libraries{options.librpma, options.rdma_core, options.provider == "mock"};
  const Target target = choose_target(options);
  const Library library = open_library(libraries);

  check_subject(library, options.subject);

  RunResult run;
  run.suite_version = kVersion;
  run.suite_commit = kCommit;
  run.provider = options.provider;
  run.started = utc_now();
  run.filter = options.filter;
  run.subject = options.subject;
  run.jobs = options.jobs;
  const auto begin = std::chrono::steady_clock::now();

  const bool on_kernel = options.provider != "mock";
  std::optional<KernelLog> kernel;
  if (on_kernel) kernel.emplace();

  std::optional<Progress> progress;
  const auto finished = [&](const TestResult& test) {
    run.tests.push_back(test);
    report.add(test);
    progress->end(test);
  };
  SuiteRunner runner(
      library, target, {options.jobs, std::chrono::seconds(options.timeout)},
      {.started = [&progress, on_kernel](size_t n) { progress.emplace(n + (on_kernel && n > 0 ? 1 : 0)); },
       .test_started = [&progress](const std::string& id) { progress->begin(id); },
       .test_finished = finished});
  run.in_profile = runner.tests().size();
  run.selected = runner.run(options.filter);
  if (run.selected == 0) {
    fmt::print(stderr,
               "rpma-conformance: --filter '{}' selects no test on {}; 'rpma-conformance list' shows them\n",
               options.filter, options.provider);
    return kIncomplete;
  }
  if (kernel) {
    ++run.selected;
    finished(kernel_result(*kernel, options));
    run.kernel_log = kernel->lines();
  }
  progress->finish();
  run.stack = stack_of(library, target, runner);
  run.experiments = runner.experiments();
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  report.finish(run);
  fmt::print("{}", to_text(run, replay_prefix(options)));
  if (!options.in_machine) fmt::print("report: {}\n", report.path().string());
  return baseline ? compare_with_baseline(*baseline, options, run) : exit_code_of(run);
}

}  // namespace conformance
