// SPDX-License-Identifier: BSD-3-Clause
//
// The result of a run: the content of report.json, and what follows from it: verdicts of subjects, findings,
// exit code. The other formats are views of it.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/verdict.h"
#include "conformance/report/stack.h"

namespace conformance {

// What one test concluded about one clause.
struct ClauseResult {
  std::string clause;
  Verdict verdict = Verdict::Skipped;
  std::string reason;  // empty for a pass
  std::string module;  // role of the accused module; only of findings
  // Equal for findings of one cause: the stack of a crash or a hang without its offsets, otherwise the
  // reason.
  std::string signature = {};
  std::vector<std::string> stack = {};     // of the first point, innermost first; where there is one
  std::vector<std::string> points = {};    // where it was seen; none for a pass
  std::vector<std::string> timeline = {};  // of the first point of a finding, line by line
  std::string waived = {};                 // of verdict `waived`: the verdict before the waiver

  [[nodiscard]] std::string first_point() const { return points.empty() ? "" : points.front(); }
};

// One point of a test, with the worst verdict of its clauses. It is written to points.jsonl and not kept.
struct PointResult {
  std::string point;
  Verdict verdict = Verdict::Skipped;
  std::string reason;  // with the clause; empty for a pass
  std::string module;
  double seconds = 0;
  // The call in which the first fault fired: function, role of the caller, nearest exported symbol. Empty if
  // no fault fired.
  std::string function = {};
  std::string role = {};
  std::string at = {};
};

struct TestResult {
  std::string id;
  std::string what;
  Verdict verdict = Verdict::Skipped;
  std::string reason;
  std::vector<ClauseResult> clauses;    // passes, and each cause of another verdict once
  size_t points = 0;                    // points tried; each has a line in points.jsonl
  size_t experiments = 0;               // experiments that ended while the test ran
  std::vector<std::string> notes = {};  // limits of the test that a reader must know
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
  std::vector<std::string> timeline;  // of the first
};

// A finding that people accept for a while (waivers.h).
struct Waiver {
  std::string clause;  // empty: any, at the point
  std::string point;   // empty: all
  std::string module;
  std::string package;
  std::string from;
  std::string to;
  std::string build_id;
  std::string owner;
  std::string reason;
  std::string link;
  std::string expires;  // the last day, YYYY-MM-DD
  std::string state;    // after apply_waivers()

  [[nodiscard]] std::string text() const;  // "LISTEN-RET-2 by rdmacm"
};

// What a run is measured against (catalogue/profile.h).
struct ProfileId {
  std::string name;
  unsigned version = 0;
  std::string sha256;
  std::string rulings_sha256;

  [[nodiscard]] std::string id() const { return name + "/" + std::to_string(version); }
};

// A shard of a merged run.
struct Part {
  std::string shard;
  std::string started;
  double seconds = 0;
};

// A call made by the IUT in a run without faults.
struct Call {
  std::string function;
  std::string role;  // of the caller
  unsigned depth = 0;
  std::string result;
  std::string at;
};

struct RunResult {
  std::string suite_version;
  std::string suite_commit;
  std::string provider;
  std::string started;  // UTC, ISO 8601
  std::string filter;
  std::string shard;              // --shard
  std::string subject = "stack";  // --judge
  ProfileId profile;
  std::string interrupted;  // the signal that ended it early; empty: none
  unsigned resumed = 0;     // how often it was resumed
  std::vector<Part> parts;  // of a merged run
  std::vector<Waiver> waivers;
  Stack stack;
  std::shared_ptr<const nlohmann::ordered_json> surroundings;  // surroundings.h; null: none
  std::vector<Call> calls;                                     // of the call under test without faults
  std::vector<TestResult> tests;
  size_t selected = 0;    // tests selected to run
  size_t in_profile = 0;  // tests that the profile requires on this provider
  size_t experiments = 0;
  uint64_t seed = 0;           // of random choices
  bool chose_all = false;      // nothing was left out
  double timeout_seconds = 0;  // of one experiment
  unsigned jobs = 1;
  double seconds = 0;
  std::vector<std::string> kernel_log;
};

std::vector<Finding> findings_of(const RunResult& run);
size_t points_of(const RunResult& run);

// The worst verdict of a test's clauses.
Outcome outcome_of(const std::vector<ClauseResult>& clauses);

// False for a tree with changes ("-dirty") or an unknown commit.
inline constexpr size_t kCommitSize = 40;  // hexadecimal digits
bool is_clean_commit(std::string_view commit);

// Whether every selected test has a result.
bool came_to_its_end(const RunResult& run);

// The roles that a finding can accuse.
inline constexpr std::array<std::string_view, 8> kAccusable = {"iut",     "rdmacm", "ibverbs", "driver",
                                                               "netlink", "libc",   "loader",  "kernel"};

// The two numbers of a shard's name I/N; empty where the text is not a value of --shard.
struct Shard {
  unsigned index = 0;
  unsigned number = 0;
};
std::optional<Shard> shard_named(std::string_view text);

// Whether a role is part of a subject.
bool is_about(const std::string& subject, const std::string& role);

// The verdict on a subject: "stack", or roles separated by commas. Findings against other modules do not
// count; a test without a verdict counts for every subject.
Outcome verdict_on(const RunResult& run, const std::string& subject);

// The worst verdict of each clause that was judged.
std::map<std::string, ClauseResult> by_clause(const RunResult& run);

// 0, 1, 2 or 3 as DESIGN section 2 says, for run.subject.
int exit_code_of(const RunResult& run);

// The same without the findings: broken, inconclusive and missing tests still count.
int exit_code_without_findings(const RunResult& run);

// Why the run is not complete or not certifiable; empty: it is.
std::vector<std::string> incomplete_because(const RunResult& run);
std::vector<std::string> uncertifiable_because(const RunResult& run);

}  // namespace conformance
