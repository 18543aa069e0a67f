// SPDX-License-Identifier: BSD-3-Clause
//
// The requirement matrix from the other side: `explain TEST`, and `list --clauses`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "conformance/catalogue/clauses.h"
#include "conformance/catalogue/profile.h"
#include "conformance/report/document.h"
#include "conformance/report/recorded.h"
#include "conformance/suite/matrix.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/commands.h"

namespace conformance {
namespace {

std::optional<Recorded> recorded_in(const ShownReport& report) {
  if (!has(report, "report.json")) return std::nullopt;
  return read_recorded(report.folder);
}

void print_seen(const Recorded& recorded, const Test& test) {
  const auto result = std::ranges::find(recorded.run.tests, test.id(), &TestResult::id);
  if (result == recorded.run.tests.end()) {
    fmt::print("  seen:     it did not run ({}, on {})\n", recorded.folder.string(), recorded.run.provider);
    return;
  }
  fmt::print("  seen:     {} at {} points (report of {}, on {}){}{}\n", name_of(result->verdict),
             result->points, recorded.run.started, recorded.run.provider, result->reason.empty() ? "" : ": ",
             result->reason);
  for (const RecordedPoint& point : recorded.points)
    if (point.test == test.id() && point.result.verdict != Verdict::Pass)
      fmt::print("            {} {}: {}\n", name_of(point.result.verdict), point.result.point,
                 point.result.reason);
}

}  // namespace

bool has(const ShownReport& report, const char* file) {
  const bool absent = is_absent(report.folder / file);
  if (absent && report.is_named) static_cast<void>(read_recorded(report.folder));  // it says why it throws
  return !absent;
}

std::optional<int> explain_test(const std::string& id, const ShownReport& report) {
  const std::vector<Test> tests = all_tests();
  const auto test = std::ranges::find(tests, id, &Test::id);
  if (test == tests.end()) return std::nullopt;
  const std::optional<Recorded> recorded = recorded_in(report);
  std::vector<std::string_view> providers;
  for (const std::string_view name : kProviderNames)
    if (test->runs_on(provider_named(name))) providers.push_back(name);
  std::vector<std::string> profiles;
  for (const Profile& profile : profiles_in(find_parts().profiles))
    if (profile.tests.contains(id)) profiles.push_back(profile.id());
  fmt::print("{}\n  what:     {}\n  runs on:  {}\n  profiles: {}\n  clauses:\n", id, test->what,
             fmt::join(providers, ", "), fmt::join(profiles, ", "));
  for (const std::string_view clause : clauses_of(*test, false))
    fmt::print("            {:<19} {}\n", clause, find_clause(clause)->promise);
  if (recorded) print_seen(*recorded, *test);
  return kConforms;
}

int list_clauses(const ShownReport& report, const std::string& provider) {
  const std::optional<Recorded> recorded = recorded_in(report);
  if (recorded && !provider.empty() && recorded->run.provider != provider)
    throw SetupError(fmt::format("{} is a run on {}: leave --provider out, or name another with --report",
                                 report.folder.string(), recorded->run.provider));
  std::map<std::string_view, std::vector<std::string>> tests;
  for (const Test& test : all_tests()) {
    if (!provider.empty() && !test.runs_on(provider_named(provider))) continue;
    for (const std::string_view clause : clauses_of(test, false)) tests[clause].push_back(test.id());
  }
  std::map<std::string, ClauseResult> judged;
  if (recorded) {
    judged = by_clause(recorded->run);
    fmt::print("clause                tests  points  verdict      (report of {}, on {})\n",
               recorded->run.started, recorded->run.provider);
  } else {
    fmt::print("clause                tests  promise\n");
  }
  for (const Clause& clause : clauses()) {
    const std::vector<std::string>& of_clause = tests[clause.id];
    if (of_clause.empty()) continue;  // none on this provider
    if (!recorded) {
      fmt::print("{:<20}  {:>5}  {}\n", clause.id, of_clause.size(), clause.promise);
      continue;
    }
    const std::vector<std::string> besides = tests_that_saw_besides(recorded->run, clause.id);
    size_t said = 0;
    for (const std::string& test : of_clause) said += points_that_say(*recorded, test, clause.id, true);
    for (const std::string& test : besides) said += points_that_say(*recorded, test, clause.id, false);
    const auto found = judged.find(std::string(clause.id));
    fmt::print("{:<20}  {:>5}  {:>6}  {:<12} {}{}\n", clause.id, of_clause.size(), said,
               found == judged.end() ? "not judged" : name_of(found->second.verdict),
               found == judged.end() ? "" : found->second.reason,
               besides.empty() ? "" : fmt::format(" (also seen by {})", fmt::join(besides, ", ")));
  }
  return kConforms;
}

}  // namespace conformance
