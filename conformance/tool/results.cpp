// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/results.h"

#include "conformance/suite/suite.h"
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

}  // namespace conformance
