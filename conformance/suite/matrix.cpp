// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/suite/matrix.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "conformance/catalogue/clauses.h"
#include "conformance/catalogue/rulings.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

std::set<std::string> providers_of(const Test& test) {
  std::set<std::string> names;
  for (const std::string_view name : kProviderNames)
    if (test.runs_on(provider_named(name))) names.emplace(name);
  return names;
}

void compare(const Profile& profile, const std::vector<Test>& tests, std::vector<std::string>& gaps) {
  if (profile.rulings_sha256 != hash_of_rulings())
    gaps.push_back(fmt::format("profile {} was frozen with other rulings", profile.id()));
  for (const auto& [id, providers] : profile.tests) {
    const auto found = std::ranges::find(tests, id, &Test::id);
    if (found == tests.end())
      gaps.push_back(fmt::format("profile {} names the unknown test {}", profile.id(), id));
    else if (providers_of(*found) != providers)
      gaps.push_back(fmt::format("profile {} wants {} on other providers", profile.id(), id));
  }
  for (const std::string& clause : profile.clauses)
    if (find_clause(clause) == nullptr)
      gaps.push_back(fmt::format("profile {} names the unknown clause {}", profile.id(), clause));
}

// Only the newest version of each must be what the suite has now.
std::vector<const Profile*> newest_of(const std::vector<Profile>& profiles) {
  std::vector<const Profile*> newest;
  for (const Profile& profile : profiles) {
    if (!newest.empty() && newest.back()->name == profile.name) newest.pop_back();
    newest.push_back(&profile);
  }
  return newest;
}

}  // namespace

std::vector<std::string> matrix_gaps(const std::vector<Profile>& profiles) {
  const std::vector<Test> tests = all_tests();
  std::vector<std::string> gaps;
  std::set<std::string_view> covered;
  for (const Test& test : tests) {
    const std::vector<std::string_view> ids = clauses_of(test, false);
    if (ids.empty()) gaps.push_back(fmt::format("test {} bears on no clause", test.id()));
    covered.insert(ids.begin(), ids.end());
  }
  for (const Clause& clause : clauses())
    if (!covered.contains(clause.id)) gaps.push_back(fmt::format("clause {} has no test", clause.id));
  for (const std::string_view id : covered)
    if (find_clause(id) == nullptr)
      gaps.push_back(fmt::format("tests judge {}, which is in no catalogue", id));

  const std::vector<const Profile*> newest = newest_of(profiles);
  for (const Profile* profile : newest) compare(*profile, tests, gaps);
  const auto in_none = [&newest](const auto& is_in) { return std::ranges::none_of(newest, is_in); };
  for (const Test& test : tests)
    if (in_none([&test](const Profile* profile) { return profile->tests.contains(test.id()); }))
      gaps.push_back(fmt::format("test {} is in no profile", test.id()));
  for (const Clause& clause : clauses())
    if (in_none(
            [&clause](const Profile* profile) { return profile->clauses.contains(std::string(clause.id)); }))
      gaps.push_back(fmt::format("clause {} is in no profile", clause.id));
  return gaps;
}

std::vector<std::string> tests_that_saw_besides(const RunResult& run, std::string_view clause) {
  std::set<std::string> bearing;
  for (const Test& test : all_tests())
    if (const auto ids = clauses_of(test, false); std::ranges::find(ids, clause) != ids.end())
      bearing.insert(test.id());
  const auto saw = [clause](const ClauseResult& result) {
    return result.clause == clause && (is_finding(result.verdict) || result.verdict == Verdict::Waived);
  };
  std::vector<std::string> besides;
  for (const TestResult& test : run.tests)
    if (!bearing.contains(test.id) && std::ranges::any_of(test.clauses, saw)) besides.push_back(test.id);
  return besides;
}

size_t points_that_say(const Recorded& recorded, const std::string& test, std::string_view clause,
                       bool bears) {
  const auto result = std::ranges::find(recorded.run.tests, test, &TestResult::id);
  if (result == recorded.run.tests.end()) return 0;
  std::set<std::string_view> concluded;
  std::set<std::string_view> open;
  for (const ClauseResult& one : result->clauses)
    if (one.clause == clause)
      (is_finding(one.verdict) || one.verdict == Verdict::Waived ? concluded : open)
          .insert(one.points.begin(), one.points.end());
  return static_cast<size_t>(std::ranges::count_if(recorded.points, [&](const RecordedPoint& point) {
    if (point.test != test || open.contains(point.result.point)) return false;
    const bool was_judged = point.result.verdict == Verdict::Pass || point.result.verdict == Verdict::Fail;
    return (bears && was_judged) || concluded.contains(point.result.point);
  }));
}

std::string freeze_profile(const std::string& name, unsigned version) {
  using Json = nlohmann::ordered_json;
  Json document = {{"schema", "rpma-conformance-profile/1"}, {"name", name}, {"version", version}};
  for (const Clause& clause : clauses())
    document["clauses"].push_back(
        {{"id", clause.id}, {"promise", clause.promise}, {"source", clause.source}});
  for (const Ruling& ruling : rulings())
    document["rulings"].push_back({{"number", ruling.number}, {"text", ruling.text}});
  for (const Test& test : all_tests())
    document["tests"].push_back({{"id", test.id()}, {"providers", providers_of(test)}});
  return document.dump(2) + "\n";
}

}  // namespace conformance
