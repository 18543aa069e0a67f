// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/result.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>
#include <tuple>

namespace conformance {

bool is_clean_commit(std::string_view commit) {
  return commit.size() == kCommitSize && commit.find_first_not_of("0123456789abcdef") == std::string::npos;
}

bool came_to_its_end(const RunResult& run) {
  return run.interrupted.empty() && run.tests.size() == run.selected;
}

std::optional<Shard> shard_named(std::string_view text) {
  const char* const end = text.data() + text.size();
  Shard shard;
  const auto first = std::from_chars(text.data(), end, shard.index);
  if (first.ec != std::errc{} || first.ptr == end || *first.ptr != '/') return std::nullopt;
  const auto second = std::from_chars(first.ptr + 1, end, shard.number);
  const bool is_one =
      second.ec == std::errc{} && second.ptr == end && shard.index >= 1 && shard.index <= shard.number;
  return is_one ? std::optional<Shard>(shard) : std::nullopt;
}

bool is_about(const std::string& subject, const std::string& role) {
  if (subject == "stack") return true;
  std::istringstream roles(subject);
  for (std::string one; std::getline(roles, one, ',');)
    if (one == role) return true;
  return false;
}

std::vector<Finding> findings_of(const RunResult& run) {
  std::vector<Finding> findings;
  std::map<std::tuple<std::string_view, std::string_view, Verdict, std::string_view>, size_t> places;
  for (const TestResult& test : run.tests) {
    for (const ClauseResult& clause : test.clauses) {
      if (!is_finding(clause.verdict)) continue;
      const auto [place, first] = places.try_emplace(
          {clause.clause, clause.module, clause.verdict, clause.signature}, findings.size());
      if (first) {
        findings.push_back({clause.clause,
                            clause.module,
                            clause.verdict,
                            clause.signature,
                            clause.reason,
                            clause.stack,
                            {},
                            {},
                            clause.timeline});
      }
      Finding* const same = &findings[place->second];
      if (same->tests.empty() || same->tests.back() != test.id) same->tests.push_back(test.id);
      for (const std::string& point : clause.points)  // two tests may try the same point
        if (std::ranges::find(same->points, point) == same->points.end()) same->points.push_back(point);
    }
  }
  return findings;
}

size_t points_of(const RunResult& run) {
  size_t points = 0;
  for (const TestResult& test : run.tests) points += test.points;
  return points;
}

Outcome outcome_of(const std::vector<ClauseResult>& clauses) {
  Aggregate worst;
  for (const ClauseResult& clause : clauses)
    worst.add(clause.verdict == Verdict::Pass
                  ? Outcome::pass()
                  : Outcome::of(clause.verdict, fmt::format("{}: {}", clause.clause, clause.reason)));
  return worst.outcome();
}

Outcome verdict_on(const RunResult& run, const std::string& subject) {
  Aggregate worst;
  if (run.tests.size() < run.selected)
    worst.add(Outcome::of(Verdict::Skipped, fmt::format("{} of {} selected tests did not run",
                                                        run.selected - run.tests.size(), run.selected)));
  for (const TestResult& test : run.tests) {
    if (test.clauses.empty())
      worst.add(Outcome::of(test.verdict, test.reason.empty() ? "nothing ran" : test.reason));
    for (const ClauseResult& clause : test.clauses) {
      const bool accuses = is_finding(clause.verdict) || clause.verdict == Verdict::Waived;
      const bool excused = accuses && !is_about(subject, clause.module);
      worst.add(clause.verdict == Verdict::Pass || excused
                    ? Outcome::pass()
                    : Outcome::of(clause.verdict, fmt::format("{}: {}", clause.clause, clause.reason)));
    }
  }
  return worst.outcome();
}

std::map<std::string, ClauseResult> by_clause(const RunResult& run) {
  std::map<std::string, ClauseResult> worst;
  for (const TestResult& test : run.tests)
    for (const ClauseResult& clause : test.clauses) {
      const auto [entry, first] = worst.try_emplace(clause.clause, clause);
      if (!first && clause.verdict < entry->second.verdict) entry->second = clause;
    }
  return worst;
}

int exit_code_of(const RunResult& run) {
  for (const TestResult& test : run.tests)
    for (const ClauseResult& clause : test.clauses)
      if (is_finding(clause.verdict) && is_about(run.subject, clause.module)) return 1;
  return exit_code_without_findings(run);
}

int exit_code_without_findings(const RunResult& run) {
  int code = run.tests.empty() || run.tests.size() < run.selected ? 3 : 0;
  for (const TestResult& test : run.tests) {
    if (test.clauses.empty()) code = 3;
    for (const ClauseResult& clause : test.clauses) {
      if (clause.verdict == Verdict::Broken) return 2;
      if (is_inconclusive(clause.verdict) && clause.verdict != Verdict::Waived) code = 3;
    }
  }
  return code;
}

std::vector<std::string> incomplete_because(const RunResult& run) {
  std::vector<std::string> reasons;
  if (!run.interrupted.empty()) reasons.push_back(fmt::format("{} ended it early", run.interrupted));
  if (run.selected < run.in_profile)
    reasons.push_back(fmt::format("{} selected {} of {} tests",
                                  run.shard.empty() ? "a filter" : "shard " + run.shard, run.selected,
                                  run.in_profile));
  else if (!run.shard.empty())
    reasons.push_back(fmt::format("shard {} only", run.shard));
  if (run.tests.size() < run.selected)
    reasons.push_back(fmt::format("{} of {} selected tests ran", run.tests.size(), run.selected));
  const auto open = std::ranges::count_if(run.tests, [](const TestResult& test) {
    return is_inconclusive(test.verdict) && test.verdict != Verdict::Waived;
  });
  if (open > 0) reasons.push_back(fmt::format("{} tests reached no verdict", open));
  return reasons;
}

std::vector<std::string> uncertifiable_because(const RunResult& run) {
  std::vector<std::string> reasons = incomplete_because(run);
  if (run.provider == "mock") reasons.emplace_back("a mock proves nothing about a stack");
  if (!is_clean_commit(run.suite_commit)) reasons.emplace_back("the suite is not of a clean commit");
  const Outcome outcome = verdict_on(run, run.subject);
  bool waived = false;
  for (const TestResult& test : run.tests)
    for (const ClauseResult& clause : test.clauses)
      waived = waived || (clause.verdict == Verdict::Waived && is_about(run.subject, clause.module));
  if (waived)
    reasons.push_back(
        fmt::format("a finding in the subject ({}) is waived, which is not a pass", run.subject));
  if (is_finding(outcome.verdict()))
    reasons.push_back(fmt::format("there is a finding in the subject ({})", run.subject));
  return reasons;
}

}  // namespace conformance
