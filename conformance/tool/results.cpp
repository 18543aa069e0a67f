// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/results.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/report/report.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/output.h"
#include "conformance/version.h"

namespace conformance {

RunResult result_for(const RunOptions& options) {
  RunResult run;
  run.suite_version = kVersion;
  run.suite_commit = kCommit;
  run.provider = options.provider;
  run.filter = options.filter;
  run.subject = options.subject;
  run.jobs = options.jobs;
  run.shard = options.shard;
  run.seed = options.seed;
  run.chose_all = options.complete;
  return run;
}

TestResult kernel_result(const Outcome& outcome) {
  TestResult test;
  test.id = kKernelTest;
  test.what = kKernelTestWhat;
  test.verdict = outcome.verdict();
  test.reason = outcome.reason();
  ClauseResult clause{"STACK-KERNEL-1", outcome.verdict(), outcome.reason(), "kernel", outcome.reason()};
  clause.points = {std::string(kKernelTest)};
  test.clauses.push_back(std::move(clause));
  return test;
}

namespace {

// The sections of the summary that --quiet keeps, by their first word, and the lines at its end.
std::string brief(const std::string& summary) {
  std::istringstream lines(summary);
  std::string text;
  bool keep = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) keep = false;
    if (line == "findings" || line == "no verdict") keep = true;
    if (keep || line.starts_with("verdict on ") || line.starts_with("judged: ")) text += line + "\n";
  }
  return text;
}

}  // namespace

void print_run(const RunResult& run, const std::string& options) {
  if (wants_json()) {
    print_document(to_json(run));
    return;
  }
  const std::string summary = to_text(run, options);
  fmt::print("{}", painted(is_quiet() ? brief(summary) : summary));
}

void print_where_report_is(const std::filesystem::path& folder, bool can_go_on) {
  if (!is_quiet()) fmt::print("report: {}\n", folder.string());
  if (can_go_on) fmt::print("to go on: rpma-conformance run --resume {}\n", folder.string());
}

}  // namespace conformance
