// SPDX-License-Identifier: BSD-3-Clause
//
// `explain TEST` and `list --clauses`.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "conformance/catalogue/clauses.h"
#include "conformance/catalogue/profile.h"
#include "conformance/report/document.h"
#include "conformance/report/recorded.h"
#include "conformance/report/report.h"
#include "conformance/suite/matrix.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"

namespace conformance {
namespace {

std::optional<Recorded> recorded_in(const ShownReport& report) {
  if (!has(report, "report.json")) return std::nullopt;
  return read_recorded(report.folder);
}

using Json = nlohmann::ordered_json;

Json seen_as_json(const std::optional<Recorded>& recorded, const std::string& test) {
  if (!recorded) return nullptr;
  const auto result = std::ranges::find(recorded->run.tests, test, &TestResult::id);
  if (result == recorded->run.tests.end()) return nullptr;
  Json points = Json::array();
  for (const RecordedPoint& point : recorded->points)
    if (point.test == test) points.push_back(to_json(point.result));
  return {{"started", recorded->run.started},
          {"provider", recorded->run.provider},
          {"verdict", name_of(result->verdict)},
          {"reason", result->reason},
          {"points", points}};
}

void print_seen(const Recorded& recorded, const Test& test) {
  const auto result = std::ranges::find(recorded.run.tests, test.id(), &TestResult::id);
  if (result == recorded.run.tests.end()) {
    fmt::print("  seen:     did not run ({}, on {})\n", recorded.folder.string(), recorded.run.provider);
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

size_t points_of(const Recorded& recorded, std::string_view clause, const std::vector<std::string>& tests,
                 const std::vector<std::string>& besides) {
  size_t points = 0;
  for (const std::string& test : tests) points += points_that_say(recorded, test, clause, true);
  for (const std::string& test : besides) points += points_that_say(recorded, test, clause, false);
  return points;
}

Json clauses_as_document(const std::optional<Recorded>& recorded,
                         std::map<std::string_view, std::vector<std::string>>& tests,
                         const std::map<std::string, ClauseResult>& judged) {
  Json rows = Json::array();
  for (const Clause& clause : clauses()) {
    const std::vector<std::string>& of_clause = tests[clause.id];
    if (of_clause.empty()) continue;  // none on this provider
    Json row = {{"id", clause.id}, {"promise", clause.promise}, {"tests", of_clause}};
    if (recorded) {
      const std::vector<std::string> besides = tests_that_saw_besides(recorded->run, clause.id);
      const auto found = judged.find(std::string(clause.id));
      const bool is_judged = found != judged.end();
      row["also_seen_by"] = besides;
      row["points"] = points_of(*recorded, clause.id, of_clause, besides);
      row["verdict"] = is_judged ? Json(name_of(found->second.verdict)) : Json();
      row["reason"] = is_judged ? found->second.reason : "";
    }
    rows.push_back(row);
  }
  return {{"schema", "rpma-conformance-clauses/1"}, {"clauses", rows}};
}

}  // namespace

bool has(const ShownReport& report, const char* file) {
  const bool absent = is_absent(report.folder / file);
  if (absent && report.is_named) static_cast<void>(read_recorded(report.folder));  // throws with the reason
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
  if (wants_json()) {
    print_document({{"schema", "rpma-conformance-explain/1"},
                    {"test", id},
                    {"what", test->what},
                    {"providers", providers},
                    {"profiles", profiles},
                    {"clauses", clauses_of(*test, false)},
                    {"seen", seen_as_json(recorded, id)}});
    return kConforms;
  }
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
  if (recorded) judged = by_clause(recorded->run);
  if (wants_json()) {
    print_document(clauses_as_document(recorded, tests, judged));
    return kConforms;
  }
  if (recorded) {
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
    const size_t said = points_of(*recorded, clause.id, of_clause, besides);
    const auto found = judged.find(std::string(clause.id));
    fmt::print("{}",
               painted(fmt::format(
                   "{:<20}  {:>5}  {:>6}  {:<12} {}{}\n", clause.id, of_clause.size(), said,
                   found == judged.end() ? "not judged" : name_of(found->second.verdict),
                   found == judged.end() ? "" : found->second.reason,
                   besides.empty() ? "" : fmt::format(" (also seen by {})", fmt::join(besides, ", ")))));
  }
  return kConforms;
}

}  // namespace conformance
