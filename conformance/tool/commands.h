// SPDX-License-Identifier: BSD-3-Clause
//
// The commands. Each returns the exit code; a SetupError that leaves one ends the program with 2.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "conformance/harness/experiment.h"
#include "conformance/harness/judge.h"
#include "conformance/tool/options.h"

namespace conformance {

// In this process, on the named provider. In a worker (worker.h).
int run_here(const RunOptions& options);

// On an rxe machine: starts one (or uses options.machine), runs the same command in it, fetches the report.
int run_in_machine(const RunOptions& options);

struct ReplayOptions {
  std::string point;
  bool all = false;           // every call in the time line
  bool system_calls = false;  // also where the point is not about one
  std::string under;          // a debugger around the program, by name or as a command
  bool in_process = false;    // hidden: what --under starts
};

// One point again, here; in an rxe machine; under a debugger here.
int replay_here(const RunOptions& options, const ReplayOptions& what);
int replay_in_machine(const RunOptions& options, const ReplayOptions& what);
int replay_under(const RunOptions& options, const ReplayOptions& what);

struct SelfCheckOptions {
  bool reference = true;     // the reference listener too, which must pass
  std::string defect;        // only this one; empty: all that show on the provider
  bool kernel_only = false;  // only those that the mock cannot show
  bool complete = false;     // all tests against each defect
  std::string listener;      // hidden: a library to use instead of ours
};
int self_check_here(const RunOptions& options, const SelfCheckOptions& what);
int self_check_in_machine(const RunOptions& options, const SelfCheckOptions& what);

// Counts the runs that report findings in a correct listener. A run's number decides its seed, jobs and
// shards.
struct FalseAlarmOptions {
  unsigned runs = 20;
  unsigned first = 1;
};
int false_alarms_here(const RunOptions& options, const FalseAlarmOptions& what);
int false_alarms_in_machine(const RunOptions& options, const FalseAlarmOptions& what);

// The regression gate between the runs of two report folders.
// `all`: every point, not only the first few.
int diff(const std::filesystem::path& old_folder, const std::filesystem::path& new_folder, bool all);

// The report of a run, to options.report, from the report folders of its shards.
int merge_reports(const std::vector<std::filesystem::path>& folders, const RunOptions& options);

// Makes a baseline from a report folder. The notes of an existing one are kept.
int write_baseline(const std::filesystem::path& report, const std::filesystem::path& file);

// The report folder that a command shows results from. It must exist if the user named it.
struct ShownReport {
  std::filesystem::path folder = "report";
  bool is_named = false;
};
// Is that file in it? Throws SetupError where it must be.
bool has(const ShownReport& report, const char* file);

// Describes a clause, a test or a point.
int explain(const std::string& what, const ShownReport& report);

// The same of a test; nothing where no test has that name.
std::optional<int> explain_test(const std::string& id, const ShownReport& report);

// Each clause with its tests, and the report's results if there are any. `provider`: only tests that run
// there; empty: all.
int list_clauses(const ShownReport& report, const std::string& provider);

// Throws SetupError where `point` is not a point id.
Experiment read_point(const std::string& point);
// What the suite expects at a point of its tables; nothing for points that sweeps make.
std::optional<Expectation> expectation_in_suite(const std::string& point);

// The roles that --judge names, separated by commas; "stack" is all of them. Throws SetupError for an unknown
// name: it would have no findings, and pass.
std::string roles_of_subject(const Library& library, const std::string& subject);

// A report folder as one file that another party can check.
struct BundleOptions {
  std::filesystem::path report;
  std::filesystem::path output;
  std::filesystem::path key;  // signs it; empty: not signed
  bool replace = false;       // an existing file
};
int bundle(const BundleOptions& what);

// Is a bundle genuine, and what does it certify?
struct VerifyOptions {
  std::filesystem::path file;
  std::filesystem::path public_key;  // empty: any signer
  std::filesystem::path profile;     // a file; empty: any profile of the suite
};
int verify_bundle(const VerifyOptions& what);

struct ListOptions {
  bool check = false;  // only: do catalogue, suite and profiles cover each other?
  std::string provider;
  std::string freeze;  // NAME/VERSION: only print the profile of today's suite
};
int list(const ListOptions& options);

// What this host can run, what is missing, and the command that installs it.
int doctor(const std::string& provider);

}  // namespace conformance
