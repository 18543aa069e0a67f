// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace conformance {
namespace {

// The kind of a change of verdicts. From a finding to an inconclusive verdict is not better.
ChangeKind kind_of(Verdict old, Verdict now) {
  if (now == Verdict::Waived || old == Verdict::Waived) return ChangeKind::Waived;
  if (is_finding(old) && is_inconclusive(now)) return ChangeKind::Worse;
  return now < old ? ChangeKind::Worse : ChangeKind::Better;
}

Change change_of(const std::string& what, Verdict old, Verdict now, const std::string& reason) {
  const ChangeKind kind = kind_of(old, now);
  return {kind,
          fmt::format("{}: was {}, is {}{}{}", what, name_of(old), name_of(now), reason.empty() ? "" : ": ",
                      reason),
          old == Verdict::Pass && kind == ChangeKind::Worse};
}

void compare_clauses(const RunResult& before, const RunResult& after, std::vector<Change>& changes) {
  const auto old_clauses = by_clause(before);
  const auto new_clauses = by_clause(after);
  for (const auto& [id, old] : old_clauses) {
    const auto found = new_clauses.find(id);
    if (found == new_clauses.end()) {
      changes.push_back({ChangeKind::Vanished,
                         fmt::format("clause {}: was {}, is not judged now", id, name_of(old.verdict)),
                         true});
      continue;
    }
    const ClauseResult& now = found->second;
    if (now.verdict == old.verdict) continue;
    changes.push_back(change_of("clause " + id, old.verdict, now.verdict, now.reason));
  }
  for (const auto& [id, now] : new_clauses)
    if (!old_clauses.contains(id))
      changes.push_back({ChangeKind::Appeared, fmt::format("clause {}: is {}", id, name_of(now.verdict))});
}

// A clause hides all but the worst of its tests.
void compare_tests(const RunResult& before, const RunResult& after, std::vector<Change>& changes) {
  std::map<std::string, const TestResult*> old_tests;
  for (const TestResult& test : before.tests) old_tests.emplace(test.id, &test);
  for (const TestResult& now : after.tests) {
    const auto old = old_tests.find(now.id);
    if (old == old_tests.end() || old->second->verdict == now.verdict) continue;
    changes.push_back(change_of("test " + now.id, old->second->verdict, now.verdict, now.reason));
  }
}

using FindingKey = std::tuple<std::string, std::string, Verdict, std::string>;

std::map<FindingKey, Finding> findings_by_key(const RunResult& run) {
  std::map<FindingKey, Finding> all;
  for (Finding& finding : findings_of(run))
    all.emplace(FindingKey{finding.clause, finding.module, finding.verdict, finding.signature},
                std::move(finding));
  return all;
}

// Waived findings.
std::set<FindingKey> waived_in(const RunResult& run) {
  std::set<FindingKey> all;
  for (const TestResult& test : run.tests)
    for (const ClauseResult& clause : test.clauses)
      if (const auto was = verdict_named(clause.waived); clause.verdict == Verdict::Waived && was)
        all.insert({clause.clause, clause.module, *was, clause.signature});
  return all;
}

std::string text_of(const Finding& finding) {
  return fmt::format("finding {} {} by {}, at {} point{}: {}", name_of(finding.verdict), finding.clause,
                     finding.module, finding.points.size(), finding.points.size() == 1 ? "" : "s",
                     finding.signature.empty() ? finding.reason : finding.signature);
}

void compare_findings(const RunResult& before, const RunResult& after, std::vector<Change>& changes) {
  const auto old_findings = findings_by_key(before);
  const auto new_findings = findings_by_key(after);
  for (const auto& [key, finding] : new_findings) {
    const auto old = old_findings.find(key);
    if (old == old_findings.end())
      changes.push_back({ChangeKind::Appeared, text_of(finding), true});
    else if (finding.points.size() > old->second.points.size())
      changes.push_back(
          {ChangeKind::Worse, fmt::format("{}; was at {}", text_of(finding), old->second.points.size())});
  }
  const std::set<FindingKey> waived = waived_in(after);
  for (const auto& [key, finding] : old_findings)
    if (!new_findings.contains(key))
      changes.push_back({waived.contains(key) ? ChangeKind::Waived : ChangeKind::Vanished, text_of(finding)});
}

// Of rules: ":when=3" becomes ":when=N".
std::string without_numbers(std::string_view point) {
  constexpr std::string_view kWhen = ":when=";
  std::string text;
  for (size_t at = 0; (at = point.find(kWhen)) != std::string_view::npos;) {
    text += point.substr(0, at + kWhen.size());
    point.remove_prefix(at + kWhen.size());
    const size_t digits = std::min(point.find_first_not_of("0123456789"), point.size());
    if (digits > 0) text += 'N';
    point.remove_prefix(digits);
  }
  return text.append(point);
}

// "iut!rpma_ep_listen" of "librpma!rpma_ep_listen": the IUT can have any file name.
std::string place_of(const PointResult& point) {
  const size_t symbol = point.at.find('!');
  return point.role.empty() || symbol == std::string::npos ? point.at : point.role + point.at.substr(symbol);
}

// What identifies a point in another release.
std::string key_of(const RecordedPoint& point) {
  const bool is_numbered = point.test.starts_with("Sweep.") && !point.result.at.empty();
  const std::string id = is_numbered ? without_numbers(point.result.point) + " in " + place_of(point.result)
                                     : point.result.point;
  return fmt::format("{} ({})", id, point.test);
}

struct Group {
  size_t points = 0;
  size_t not_passed = 0;
  Verdict worst = Verdict::Pass;
  std::string reason;
};

// points.jsonl has the verdicts before waivers.
std::map<std::string, Group> by_key(const Recorded& recorded) {
  std::set<std::pair<std::string_view, std::string_view>> waived;
  for (const TestResult& test : recorded.run.tests)
    for (const ClauseResult& clause : test.clauses)
      if (clause.verdict == Verdict::Waived)
        for (const std::string& point : clause.points) waived.emplace(test.id, point);
  std::map<std::string, Group> groups;
  for (const RecordedPoint& point : recorded.points) {
    const bool is_waived = waived.contains({point.test, point.result.point});
    const Verdict verdict = is_waived ? Verdict::Waived : point.result.verdict;
    Group& group = groups[key_of(point)];
    ++group.points;
    if (verdict < Verdict::Waived) ++group.not_passed;
    if (verdict >= group.worst) continue;
    group.worst = verdict;
    group.reason = point.result.reason;
  }
  return groups;
}

std::string counted(size_t points) {
  return points == 1 ? "" : fmt::format("{} of ", points);
}

void compare_points(const Recorded& before, const Recorded& after, std::vector<Change>& changes) {
  const auto old_points = by_key(before);
  const auto new_points = by_key(after);
  for (const auto& [key, old] : old_points) {
    const auto found = new_points.find(key);
    const size_t left = found == new_points.end() ? 0 : found->second.points;
    if (left < old.points)
      changes.push_back({ChangeKind::Vanished, fmt::format("point {}{}", counted(old.points - left), key)});
    if (left > old.points)
      changes.push_back({ChangeKind::Appeared, fmt::format("point {}{}", counted(left - old.points), key)});
    if (left == 0) continue;
    const Group& now = found->second;
    if (now.worst != old.worst)
      changes.push_back(change_of("point " + key, old.worst, now.worst, now.reason));
    else if (now.not_passed > old.not_passed)
      changes.push_back({ChangeKind::Worse,
                         fmt::format("point {}: {} of {} are {}, were {}: {}", key, now.not_passed,
                                     now.points, name_of(now.worst), old.not_passed, now.reason),
                         true});
  }
  // Not a regression by itself: a new point passes, or its finding is listed.
  for (const auto& [key, now] : new_points)
    if (!old_points.contains(key))
      changes.push_back({ChangeKind::Appeared,
                         fmt::format("point {}{}: is {}", counted(now.points), key, name_of(now.worst))});
}

}  // namespace

std::string_view name_of(ChangeKind kind) {
  constexpr std::string_view kNames[] = {"worse", "better", "appeared", "vanished", "waived"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<Change> compare(const Recorded& before, const Recorded& after) {
  std::vector<Change> changes;
  compare_clauses(before.run, after.run, changes);
  compare_tests(before.run, after.run, changes);
  compare_findings(before.run, after.run, changes);
  compare_points(before, after, changes);
  std::ranges::stable_sort(changes, {}, [](const Change& change) { return !change.regression; });
  return changes;
}

std::vector<std::string> tests_not_concluded(const RunResult& before, const RunResult& after) {
  std::set<std::string> concluded;
  for (const TestResult& test : after.tests)
    if (!is_inconclusive(test.verdict) || test.verdict == Verdict::Waived) concluded.insert(test.id);
  std::vector<std::string> missing;
  for (const TestResult& test : before.tests)
    if (!is_inconclusive(test.verdict) && !concluded.contains(test.id)) missing.push_back(test.id);
  return missing;
}

}  // namespace conformance
