// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace conformance {
namespace {

void compare_clauses(const RunResult& before, const RunResult& after, std::vector<Change>& changes) {
  const auto old_clauses = by_clause(before);
  const auto new_clauses = by_clause(after);
  for (const auto& [id, old] : old_clauses) {
    const auto found = new_clauses.find(id);
    if (found == new_clauses.end()) {
      changes.push_back({ChangeKind::Vanished,
                         fmt::format("clause {}: was {}, is not judged", id, name_of(old.verdict)), true});
      continue;
    }
    const ClauseResult& now = found->second;
    if (now.verdict == old.verdict) continue;
    const bool worse = now.verdict < old.verdict;
    changes.push_back({worse ? ChangeKind::Worse : ChangeKind::Better,
                       fmt::format("clause {}: was {}, is {}{}{}", id, name_of(old.verdict),
                                   name_of(now.verdict), now.reason.empty() ? "" : ": ", now.reason),
                       old.verdict == Verdict::Pass});
  }
  for (const auto& [id, now] : new_clauses)
    if (!old_clauses.contains(id))
      changes.push_back({ChangeKind::Appeared, fmt::format("clause {}: is {}", id, name_of(now.verdict))});
}

using FindingKey = std::tuple<std::string, std::string, Verdict, std::string>;

std::map<FindingKey, Finding> findings_by_key(const RunResult& run) {
  std::map<FindingKey, Finding> all;
  for (Finding& finding : findings_of(run))
    all.emplace(FindingKey{finding.clause, finding.module, finding.verdict, finding.signature},
                std::move(finding));
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
  for (const auto& [key, finding] : new_findings)
    if (!old_findings.contains(key)) changes.push_back({ChangeKind::Appeared, text_of(finding), true});
  for (const auto& [key, finding] : old_findings)
    if (!new_findings.contains(key)) changes.push_back({ChangeKind::Vanished, text_of(finding)});
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

// "iut!rpma_ep_listen" of "librpma!rpma_ep_listen": a library under test may be a file of any name.
std::string place_of(const PointResult& point) {
  const size_t symbol = point.at.find('!');
  return point.role.empty() || symbol == std::string::npos ? point.at : point.role + point.at.substr(symbol);
}

// What of a point is the same in another release.
std::string key_of(const RecordedPoint& point) {
  const bool is_numbered = point.test.starts_with("Sweep.") && !point.result.at.empty();
  const std::string id = is_numbered ? without_numbers(point.result.point) + " in " + place_of(point.result)
                                     : point.result.point;
  return fmt::format("{} ({})", id, point.test);
}

struct Group {
  size_t points = 0;
  Verdict worst = Verdict::Pass;
  std::string reason;
};

std::map<std::string, Group> by_key(const std::vector<RecordedPoint>& points) {
  std::map<std::string, Group> groups;
  for (const RecordedPoint& point : points) {
    Group& group = groups[key_of(point)];
    ++group.points;
    if (point.result.verdict >= group.worst) continue;
    group.worst = point.result.verdict;
    group.reason = point.result.reason;
  }
  return groups;
}

std::string counted(size_t points) {
  return points == 1 ? "" : fmt::format("{} of ", points);
}

void compare_points(const Recorded& before, const Recorded& after, std::vector<Change>& changes) {
  const auto old_points = by_key(before.points);
  const auto new_points = by_key(after.points);
  for (const auto& [key, old] : old_points) {
    const auto found = new_points.find(key);
    const size_t left = found == new_points.end() ? 0 : found->second.points;
    if (left < old.points)
      changes.push_back({ChangeKind::Vanished, fmt::format("point {}{}", counted(old.points - left), key)});
    if (left > old.points)
      changes.push_back({ChangeKind::Appeared, fmt::format("point {}{}", counted(left - old.points), key)});
    if (left == 0 || found->second.worst == old.worst) continue;
    const Group& now = found->second;
    const bool worse = now.worst < old.worst;
    changes.push_back({worse ? ChangeKind::Worse : ChangeKind::Better,
                       fmt::format("point {}: was {}, is {}{}{}", key, name_of(old.worst), name_of(now.worst),
                                   now.reason.empty() ? "" : ": ", now.reason),
                       old.worst == Verdict::Pass});
  }
  // One that no clause and no finding speaks of: it passes, or it is part of a finding that is listed.
  for (const auto& [key, now] : new_points)
    if (!old_points.contains(key))
      changes.push_back({ChangeKind::Appeared,
                         fmt::format("point {}{}: is {}", counted(now.points), key, name_of(now.worst))});
}

}  // namespace

std::string_view name_of(ChangeKind kind) {
  constexpr std::string_view kNames[] = {"worse", "better", "appeared", "vanished"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<Change> compare(const Recorded& before, const Recorded& after) {
  std::vector<Change> changes;
  compare_clauses(before.run, after.run, changes);
  compare_findings(before.run, after.run, changes);
  compare_points(before, after, changes);
  std::ranges::stable_sort(changes, {}, [](const Change& change) { return !change.regression; });
  return changes;
}

std::vector<std::string> tests_not_run(const RunResult& before, const RunResult& after) {
  std::set<std::string> ran;
  for (const TestResult& test : after.tests) ran.insert(test.id);
  std::vector<std::string> missing;
  for (const TestResult& test : before.tests)
    if (!ran.contains(test.id)) missing.push_back(test.id);
  return missing;
}

}  // namespace conformance
