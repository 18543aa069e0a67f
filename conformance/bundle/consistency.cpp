// SPDX-License-Identifier: BSD-3-Clause
//
// Does the report follow from what it holds? Every verdict, count and flag is made again from the tests, the tests
// from the journal and the waivers, and the journal is held against the points.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/bundle/content.h"
#include "conformance/harness/kernel_log.h"
#include "conformance/report/report.h"
#include "conformance/report/waivers.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

constexpr size_t kShown = 3;  // differences of one kind

std::string shown(const Json& value) {
  constexpr size_t kMost = 80;
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMost) text = text.substr(0, kMost) + "...";
  return text;
}

// Where two documents differ, as JSON pointers, `said` against `follows`.
void compare(const Json& said, const Json& follows, const std::string& where, std::vector<std::string>& differences) {
  if (differences.size() >= kShown || said == follows) return;
  if (said.is_object() && follows.is_object()) {
    const size_t before = differences.size();
    for (const auto& [key, value] : follows.items())
      if (said.contains(key))
        compare(said.at(key), value, where + "/" + key, differences);
      else if (differences.size() < kShown)
        differences.push_back(fmt::format("{}/{} is missing", where, key));
    for (const auto& [key, value] : said.items())
      if (!follows.contains(key) && differences.size() < kShown)
        differences.push_back(fmt::format("{}/{} has no place there", where, key));
    if (differences.size() == before) differences.push_back(fmt::format("{}: other order of its keys", where));
    return;
  }
  if (said.is_array() && follows.is_array() && said.size() == follows.size()) {
    for (size_t i = 0; i < said.size(); ++i)
      compare(said.at(i), follows.at(i), fmt::format("{}/{}", where, i), differences);
    return;
  }
  differences.push_back(fmt::format("{} says {}, what follows is {}", where, shown(said), shown(follows)));
}

Check check_verdicts(const Content& content) {
  Check check{"verdicts"};
  for (const TestResult& test : content.run.tests) {
    const Outcome outcome = outcome_of(test.clauses);
    if (outcome.verdict() != test.verdict)
      check.wrong.push_back(fmt::format("report.json: {} says {}, its clauses {}", test.id, name_of(test.verdict),
                                        name_of(outcome.verdict())));
  }
  std::vector<std::string> differences;
  compare(content.report, to_json(content.run), "report.json", differences);
  check.wrong.insert(check.wrong.end(), differences.begin(), differences.end());
  return check;
}

Check check_tests(const Content& content) {
  Check check{"completeness"};
  const RunResult& run = content.run;
  const std::vector<std::string> wanted = content.profile.tests_on(run.provider);
  if (run.in_profile != wanted.size())
    check.wrong.push_back(fmt::format("report.json counts {} tests of the profile on {}, the profile {}",
                                      run.in_profile, run.provider, wanted.size()));
  if (run.selected > run.in_profile || run.tests.size() > run.selected)
    check.wrong.push_back(fmt::format("{} tests ran of {} selected of {}", run.tests.size(), run.selected,
                                      run.in_profile));
  std::set<std::string> ran;
  for (const TestResult& test : run.tests) {
    if (!ran.insert(test.id).second) check.wrong.push_back(fmt::format("{} is there twice", test.id));
    if (!std::ranges::binary_search(wanted, test.id))
      check.wrong.push_back(fmt::format("{} is no test of the profile on {}", test.id, run.provider));
  }
  const bool complete = content.report.at("complete").at("value");
  for (const std::string& id : wanted)
    if (complete && !ran.contains(id)) check.wrong.push_back(fmt::format("{} is missing", id));
  check.note = fmt::format("{} of {} tests of {} on {}", ran.size(), wanted.size(), content.profile.id(), run.provider);
  return check;
}

// results.jsonl holds the tests as they were obtained; with the waivers they are those of the report.
Check check_journal(const Content& content) {
  Check check{"results.jsonl"};
  RunResult again = content.run;
  again.tests.clear();
  std::map<std::string, const TestResult*> journal;
  for (const TestResult& test : content.results)
    if (!journal.emplace(test.id, &test).second)
      check.wrong.push_back(fmt::format("{} is there twice", test.id));
  for (const TestResult& test : content.run.tests) {
    const auto found = journal.find(test.id);
    if (found == journal.end()) {
      check.wrong.push_back(fmt::format("{} is in report.json alone", test.id));
      continue;
    }
    again.tests.push_back(*found->second);
    journal.erase(found);
  }
  for (const auto& [id, test] : journal) check.wrong.push_back(fmt::format("report.json lacks {}", id));
  if (!check.wrong.empty()) return check;
  try {
    apply_waivers(content.waivers ? parse_waivers(*content.waivers, content.run.started.substr(0, 10))
                                  : std::vector<Waiver>(),
                  again);
  } catch (const std::runtime_error&) {
    return check;  // check_waivers() says it
  }
  Json tests = Json::array();
  for (const TestResult& test : again.tests) tests.push_back(to_json(test));
  compare(content.report.at("tests"), tests, "report.json/tests", check.wrong);
  return check;
}

Check check_waivers(const Content& content) {
  Check check{"waivers"};
  std::vector<Waiver> waivers;
  if (content.waivers) {
    try {
      waivers = parse_waivers(*content.waivers, content.run.started.substr(0, 10));
    } catch (const std::runtime_error& error) {
      check.wrong.push_back(fmt::format("waivers.json {}", error.what()));
      return check;
    }
  }
  const size_t count = waivers.size();
  RunResult again = content.run;
  again.tests = content.results;
  apply_waivers(std::move(waivers), again);
  compare(content.report.at("waivers"), again.waivers, "report.json/waivers", check.wrong);
  for (const TestResult& test : content.run.tests)
    for (const ClauseResult& clause : test.clauses)
      if (clause.verdict == Verdict::Waived && count == 0)
        check.wrong.push_back(fmt::format("{} {} is waived, and there is no waiver", test.id, clause.clause));
  check.note = count == 0 ? "none" : fmt::format("{}, none expired or too broad on {}", count,
                                                 content.run.started.substr(0, 10));
  return check;
}

// The points of one test against what it concluded.
class PointsOfTest {
 public:
  PointsOfTest(const TestResult& test, std::vector<const PointResult*> points, std::vector<std::string>& wrong)
      : test_(test), points_(std::move(points)), wrong_(wrong) {}

  void check() {
    if (points_.size() != test_.points)
      say(fmt::format("has {} lines, its result counts {} points", points_.size(), test_.points));
    if (points_.empty()) {
      // The kernel's log is judged as a whole; a sweep whose control failed comes to nothing.
      if (test_.id != kKernelTest && (test_.verdict == Verdict::Pass || is_finding(test_.verdict)))
        say(fmt::format("reached {} without a point", name_of(test_.verdict)));
      return;
    }
    for (const PointResult* point : points_) check_point(*point);
    for (const ClauseResult& clause : test_.clauses) check_clause(clause);
  }

 private:
  void say(const std::string& what) { wrong_.push_back(fmt::format("{} {}", test_.id, what)); }

  // What a point came to must be among what its test concluded.
  void check_point(const PointResult& point) {
    if (point.verdict == Verdict::Pass) return;
    const bool concluded = std::ranges::any_of(test_.clauses, [&point](const ClauseResult& clause) {
      return clause.verdict == point.verdict && point.reason.starts_with(clause.clause + ": ") &&
             (!is_finding(point.verdict) || clause.module == point.module) &&
             std::ranges::find(clause.points, point.point) != clause.points.end();
    });
    if (!concluded)
      say(fmt::format("has {} at {}, which its result does not know", name_of(point.verdict), point.point));
  }

  // And the other way round: nothing is concluded from a point that says better.
  void check_clause(const ClauseResult& clause) {
    if (clause.verdict == Verdict::Pass) return;
    if (clause.points.empty()) say(fmt::format("says {} of {} without a point", name_of(clause.verdict), clause.clause));
    for (const std::string& id : clause.points) {
      const bool seen = std::ranges::any_of(points_, [&](const PointResult* point) {
        return point->point == id && point->verdict <= clause.verdict;
      });
      if (!seen)
        say(fmt::format("says {} of {} at {}, which no line of points.jsonl does", name_of(clause.verdict),
                        clause.clause, id));
    }
  }

  const TestResult& test_;
  std::vector<const PointResult*> points_;
  std::vector<std::string>& wrong_;
};

Check check_points(const Content& content) {
  Check check{"points.jsonl"};
  std::map<std::string, std::vector<const PointResult*>> by_test;
  for (const PointLine& line : content.points) by_test[line.test].push_back(&line.result);
  for (const TestResult& test : content.results) {
    PointsOfTest(test, by_test[test.id], check.wrong).check();
    by_test.erase(test.id);
  }
  // A test that was cut short has left points and no result.
  const std::vector<std::string> wanted = content.profile.tests_on(content.run.provider);
  const bool cut_short = content.run.tests.size() < content.run.selected;
  for (const auto& [test, points] : by_test)
    if (!cut_short || !std::ranges::binary_search(wanted, test))
      check.wrong.push_back(fmt::format("{} has points and no result", test));
  check.note = fmt::format("{} points", content.points.size());
  return check;
}

Check check_kernel_log(const Content& content) {
  Check check{"kernel log"};
  for (const TestResult& test : content.run.tests) {
    if (test.id != kKernelTest || test.verdict != Verdict::Pass) continue;
    for (const std::string& line : content.run.kernel_log)
      if (verdict_on_kernel_line(line, true) != Verdict::Pass)
        check.wrong.push_back(fmt::format("{} passes, yet the kernel said: {}", test.id, line.substr(0, 100)));
  }
  return check;
}

Check check_run_record(const Content& content) {
  Check check{"run.json"};
  if (!content.run_record) return check;
  const Json& options = content.run_record->at("options");
  for (const char* name : {"provider", "filter", "shard", "seed"})
    if (options.at(name) != content.report.at(name))
      check.wrong.push_back(fmt::format("{} was {}, report.json says {}", name, shown(options.at(name)),
                                        shown(content.report.at(name))));
  if (options.at("complete") != content.report.at("chose_all"))
    check.wrong.emplace_back("complete is not what report.json says");
  return check;
}

// The views of the report, where this suite made them: another writes them in its own way.
Check check_views(const Content& content, const Members& files, const std::string& this_commit) {
  Check check{"views"};
  if (content.run.suite_commit != this_commit) {
    check.note = fmt::format("made by suite {}, this is {}: not compared", content.run.suite_commit, this_commit);
    return check;
  }
  if (files.at("junit.xml") != to_junit(content.run))
    check.wrong.emplace_back("junit.xml does not say what report.json says");
  return check;
}

}  // namespace

}  // namespace conformance
