// SPDX-License-Identifier: BSD-3-Clause
//
// `diff OLD NEW`: the regression gate between two runs.
#include <fmt/format.h>

#include <algorithm>

#include "conformance/harness/library.h"
#include "conformance/report/compare.h"
#include "conformance/tool/commands.h"

namespace conformance {
namespace {

std::string file_of(const StackModule& module) {
  return std::filesystem::path(module.path).filename();
}

// Points first and foremost belong to the clauses and findings above them: some are enough.
void print_changes(const std::vector<Change>& changes, bool all) {
  constexpr size_t kPointsShown = 20;
  size_t points = 0;
  for (const Change& change : changes) {
    if (change.what.starts_with("point ") && ++points > kPointsShown && !all) continue;
    fmt::print("{}{}: {}\n", change.regression ? "REGRESSION, " : "", name_of(change.kind), change.what);
  }
  if (points > kPointsShown && !all)
    fmt::print("... and {} more points; --all shows them\n", points - kPointsShown);
}

// What makes two runs less alike than they could be. It explains changes, and is none.
void print_notes(const RunResult& before, const RunResult& after) {
  if (before.profile.sha256 != after.profile.sha256)
    fmt::print("note: measured against {}/{} and {}/{}\n", before.profile.name, before.profile.version,
               after.profile.name, after.profile.version);
  if (before.suite_commit != after.suite_commit)
    fmt::print("note: judged by suite {} and {}\n", before.suite_commit, after.suite_commit);
  if (before.seed != after.seed || before.chose_all != after.chose_all)
    fmt::print("note: pairs of faults were chosen otherwise (seeds {} and {})\n", before.seed, after.seed);
  for (const StackModule& module : after.stack.modules) {
    const auto same = std::ranges::find_if(before.stack.modules, [&module](const StackModule& other) {
      return other.role == module.role && (module.role == "iut" || file_of(other) == file_of(module));
    });
    if (same != before.stack.modules.end() && same->sha256 != module.sha256)
      fmt::print("stack: {} was {}, is {}\n", module.role,
                 same->package.empty() ? same->build_id : same->package,
                 module.package.empty() ? module.build_id : module.package);
  }
  if (before.stack.kernel != after.stack.kernel)
    fmt::print("stack: kernel was {}, is {}\n", before.stack.kernel, after.stack.kernel);
}

}  // namespace

int diff(const std::filesystem::path& old_folder, const std::filesystem::path& new_folder, bool all) {
  const Recorded before = read_recorded(old_folder);
  const Recorded after = read_recorded(new_folder);
  if (before.run.provider != after.run.provider)
    throw SetupError(fmt::format("{} is a run on {}, {} one on {}: only runs on one provider can be compared",
                                 old_folder.string(), before.run.provider, new_folder.string(),
                                 after.run.provider));
  print_notes(before.run, after.run);
  const std::vector<Change> changes = compare(before, after);
  print_changes(changes, all);
  const std::vector<std::string> missing = tests_not_run(before.run, after.run);
  for (const std::string& test : missing) fmt::print("not run: {}\n", test);

  const auto regressions = std::ranges::count_if(changes, &Change::regression);
  int code = kConforms;
  if (regressions > 0)
    code = kFinding;
  else if (!missing.empty() || after.run.tests.empty() || !after.run.interrupted.empty())
    code = kIncomplete;
  fmt::print("{} regressions, {} other changes{}, exit code {}\n", regressions,
             changes.size() - static_cast<size_t>(regressions),
             missing.empty() ? "" : fmt::format(", {} tests that OLD had were not run", missing.size()),
             code);
  return code;
}

}  // namespace conformance
