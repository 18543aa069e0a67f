// SPDX-License-Identifier: BSD-3-Clause
//
// The result of a run: what the JSON document holds, and what follows from it (verdicts of subjects,
// findings, exit code). The other formats are views of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/harness/verdict.h"
#include "conformance/report/stack.h"

namespace conformance {

// What one test concluded about one clause.
struct ClauseResult {
  std::string clause;
  Verdict verdict = Verdict::Skipped;
  std::string reason;  // empty for a pass
  std::string module;  // role of the accused; findings alone
  // What findings of one cause have in common: the stack of a crash or a hang without its offsets, otherwise
  // the reason.
  std::string signature = {};
  std::vector<std::string> stack = {};   // of the first point, innermost first; where there is one
  std::vector<std::string> points = {};  // at which it was seen; none for a pass

  [[nodiscard]] std::string first_point() const { return points.empty() ? "" : points.front(); }
};

// One point of a test: what the worst of its clauses came to. Not kept: written to points.jsonl as it is
// obtained.
struct PointResult {
  std::string point;
  Verdict verdict = Verdict::Skipped;
  std::string reason;  // with the clause; empty for a pass
  std::string module;
  double seconds = 0;
};

struct TestResult {
  std::string id;
  std::string what;
  Verdict verdict = Verdict::Skipped;
  std::string reason;
  std::vector<ClauseResult> clauses;    // passes, and each cause of something else once
  size_t points = 0;                    // that were tried; each has its line in points.jsonl
  std::vector<std::string> notes = {};  // what a reader must know of its limits
  double seconds = 0;
};

// Points with the same clause, module, verdict and signature are one finding.
struct Finding {
  std::string clause;
  std::string module;
  Verdict verdict = Verdict::Fail;
  std::string signature;
  std::string reason;              // of the first
  std::vector<std::string> stack;  // of the first
  std::vector<std::string> tests;
  std::vector<std::string> points;
};

struct RunResult {
  std::string suite_version;
  std::string suite_commit;
  std::string provider;
  std::string started;  // UTC, ISO 8601
  std::string filter;
  std::string shard;              // --shard
  std::string subject = "stack";  // --judge
  Stack stack;
  std::vector<TestResult> tests;
  size_t selected = 0;    // tests that were to run
  size_t in_profile = 0;  // tests that exist for this provider
  size_t experiments = 0;
  uint64_t seed = 0;           // of what was chosen
  bool chose_all = false;      // nothing was left out
  double timeout_seconds = 0;  // of one experiment
  unsigned jobs = 1;
  double seconds = 0;
  std::vector<std::string> kernel_log;
};

std::vector<Finding> findings_of(const RunResult& run);
size_t points_of(const RunResult& run);

// The verdict on a subject: "stack", or roles separated by commas. Findings that accuse
// somebody else do not count; whatever was not concluded counts for everybody.
Outcome verdict_on(const RunResult& run, const std::string& subject);

// The worst verdict of each clause that was judged.
std::map<std::string, ClauseResult> by_clause(const RunResult& run);

// 0, 1, 2 or 3 as DESIGN section 2 says, for run.subject.
int exit_code_of(const RunResult& run);

// The same for one who expects the findings: what was broken, not concluded or not run still counts.
int exit_code_without_findings(const RunResult& run);

// Why the run was not complete, or could not be certified; empty: nothing speaks against it.
std::vector<std::string> incomplete_because(const RunResult& run);
std::vector<std::string> uncertifiable_because(const RunResult& run);

}  // namespace conformance
