// SPDX-License-Identifier: BSD-3-Clause
//
// The result of a run: what the JSON document holds, and what follows from it (verdicts of subjects,
// findings, exit code). The other formats are views of it.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
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
  std::string module;  // role of the accused; findings alone
  // What findings of one cause have in common: the stack of a crash or a hang without its offsets, otherwise
  // the reason.
  std::string signature = {};
  std::vector<std::string> stack = {};     // of the first point, innermost first; where there is one
  std::vector<std::string> points = {};    // at which it was seen; none for a pass
  std::vector<std::string> timeline = {};  // of the first point of a finding, line by line
  std::string waived = {};                 // verdict `waived`: the one that the waiver replaced

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
  // The call in which the first fault fired: function, role of the caller, nearest exported symbol. Empty
  // where none fired.
  std::string function = {};
  std::string role = {};
  std::string at = {};
};

struct TestResult {
  std::string id;
  std::string what;
  Verdict verdict = Verdict::Skipped;
  std::string reason;
  std::vector<ClauseResult> clauses;    // passes, and each cause of something else once
  size_t points = 0;                    // that were tried; each has its line in points.jsonl
  size_t experiments = 0;               // that ended while it ran; all tests together give the run's
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
  std::vector<std::string> timeline;  // of the first
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

// A call of the IUT while nothing was disturbed.
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
  unsigned resumed = 0;     // how often it went on
  std::vector<Part> parts;  // of a merged run
  nlohmann::ordered_json waivers = nlohmann::ordered_json::array();  // each with its state (waivers.h)
  Stack stack;
  nlohmann::ordered_json surroundings = nlohmann::ordered_json::object();  // surroundings.h
  std::vector<Call> calls;  // of the undisturbed call under test
  std::vector<TestResult> tests;
  size_t selected = 0;    // tests that were to run
  size_t in_profile = 0;  // tests that the profile wants on this provider
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

// What a test's clauses come to.
Outcome outcome_of(const std::vector<ClauseResult>& clauses);

// True for a commit, false for what else stands in its place: a tree with changes ("-dirty"), or none known.
inline constexpr size_t kCommitSize = 40;  // hexadecimal digits
bool is_clean_commit(std::string_view commit);

// True where every selected test has its result: nothing is left to be done.
bool came_to_its_end(const RunResult& run);

// The roles of whom a finding can accuse.
inline constexpr std::array<std::string_view, 8> kAccusable = {"iut",     "rdmacm", "ibverbs", "driver",
                                                               "netlink", "libc",   "loader",  "kernel"};

// The two numbers of a shard's name I/N; nothing where the text is not as --shard has it.
struct Shard {
  unsigned index = 0;
  unsigned number = 0;
};
std::optional<Shard> shard_named(std::string_view text);

// True where a role is part of a subject.
bool is_about(const std::string& subject, const std::string& role);

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
