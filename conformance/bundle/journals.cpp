// SPDX-License-Identifier: BSD-3-Clause
//
// What was written while the run went on, against what the report makes of it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "conformance/bundle/consistency.h"
#include "conformance/harness/kernel_log.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"
#include "conformance/report/waivers.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

// The points of one test against what it concluded.
class PointsOfTest {
 public:
  PointsOfTest(const TestResult& test, std::vector<const PointResult*> points,
               std::vector<std::string>& wrong)
      : test_(test), points_(std::move(points)), wrong_(wrong) {
    for (const PointResult* point : points_) {
      const auto [entry, first] = worst_at_.emplace(point->point, point->verdict);
      if (!first) entry->second = std::min(entry->second, point->verdict);
    }
    for (const ClauseResult& clause : test_.clauses)
      for (const std::string& id : clause.points) clauses_at_[id].push_back(&clause);
  }

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
    const bool concluded =
        std::ranges::any_of(clauses_at_[point.point], [&point](const ClauseResult* clause) {
          return clause->verdict == point.verdict && point.reason.starts_with(clause->clause + ": ") &&
                 (!is_finding(point.verdict) || clause->module == point.module);
        });
    if (!concluded)
      say(fmt::format("has {} at {}, which its result does not know", name_of(point.verdict), point.point));
  }

  // And the other way round: nothing is concluded from a point that says better.
  void check_clause(const ClauseResult& clause) {
    if (clause.verdict == Verdict::Pass) return;
    if (clause.points.empty())
      say(fmt::format("says {} of {} without a point", name_of(clause.verdict), clause.clause));
    for (const std::string& id : clause.points) {
      const auto line = worst_at_.find(id);
      if (line == worst_at_.end() || line->second > clause.verdict)
        say(fmt::format("says {} of {} at {}, which no line of points.jsonl does", name_of(clause.verdict),
                        clause.clause, id));
    }
  }

  const TestResult& test_;
  std::vector<const PointResult*> points_;
  std::vector<std::string>& wrong_;
  std::map<std::string_view, Verdict> worst_at_;
  std::map<std::string_view, std::vector<const ClauseResult*>> clauses_at_;
};

bool accuses(const std::string& line) {
  return verdict_on_kernel_line(line, true) != Verdict::Pass;
}

// As /dev/kmsg gives it, from which the lines of a run were read.
std::string as_in_kmsg(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '\\')
      escaped += fmt::format("\\x{:02x}", byte);
    else
      escaped += c;
  }
  return escaped;
}

// The lines of kernel.log, each with what the machine put before it, and without: "[   45.367713] ", or
// "[   45.367713][  T123] ".
std::set<std::string> lines_of_machine(std::string_view log) {
  constexpr int kMostBrackets = 2;
  std::set<std::string> lines;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    lines.insert(as_utf8(line));  // as it stands where the console of a lost machine was read
    for (int i = 0; i < kMostBrackets && line.starts_with('[') && line.find(']') != std::string_view::npos;
         ++i) {
      line.remove_prefix(line.find(']') + 1);
      if (line.starts_with(' ')) line.remove_prefix(1);
      lines.insert(as_in_kmsg(line));
    }
  }
  return lines;
}

// kernel.log is the machine's own, from its start on. Lines of little importance may be missing there, those
// that are judged may not.
void check_machine_log(const Content& content, std::string_view file, Check& check) {
  if (content.run.provider == "mock")
    return check.wrong.push_back(
        fmt::format("{} is there, and no kernel has a part in a run on the mock", kKernelLog));
  if (!content.kernel_lines) return;
  const std::set<std::string> logged = lines_of_machine(file);
  for (const std::string& line : *content.kernel_lines) {
    // What stands behind a line end in one record is a line of its own there.
    if (!accuses(line) || is_said_of_the_kernel(line) || logged.contains(line) ||
        logged.contains(line.substr(0, line.find("\\x0a"))))
      continue;
    const std::string lacks =
        fmt::format("{} lacks a line of kernel.jsonl: {}", kKernelLog, line.substr(0, 100));
    // Of a run that was killed, the log of an earlier machine may be lost.
    if (content.run.resumed == 0) return check.wrong.push_back(lacks);
    check.note = lacks;
    return;
  }
  // The machine may have lived before the run: who reads the bundle must know, but it is not this run's.
  const std::set<std::string_view> judged(content.kernel_lines->begin(), content.kernel_lines->end());
  const auto unjudged = std::ranges::find_if(logged, [&judged](const std::string& line) {
    return !line.starts_with('[') && accuses(line) && !judged.contains(line);
  });
  if (unjudged != logged.end())
    check.note =
        fmt::format("{} accuses the kernel outside of the run: {}", kKernelLog, unjudged->substr(0, 100));
}

}  // namespace

// results.jsonl holds the tests as they were obtained; with the waivers they are those of the report.
Check check_journal(const Content& content) {
  Check check{"results.jsonl"};
  std::map<std::string, const TestResult*> journal;
  for (const TestResult& test : content.results)
    if (!journal.emplace(test.id, &test).second)
      check.wrong.push_back(fmt::format("{} is there twice", test.id));
  RunResult again = content.run;
  again.tests.clear();
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
    if (content.waivers)
      apply_waivers(parse_waivers(*content.waivers, content.run.started.substr(0, kDaySize)), again);
  } catch (const std::runtime_error&) {
    return check;  // what is wrong with the waivers is told by check_waivers()
  }
  Json tests = Json::array();
  for (const TestResult& test : again.tests) tests.push_back(to_json(test));
  add_differences(content.report.at("tests"), tests, "report.json/tests", check.wrong);
  return check;
}

Check check_points(const Content& content) {
  Check check{"points.jsonl"};
  std::map<std::string, std::vector<const PointResult*>> by_test;
  for (const RecordedPoint& line : content.points) by_test[line.test].push_back(&line.result);
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

// What the kernel logged is in both, and a line that accuses it is no pass.
Check check_kernel_log(const Content& content, const Members& files) {
  Check check{"kernel log"};
  const std::vector<std::string>& log = content.run.kernel_log;
  if (const auto file = files.find(kKernelLog); file != files.end())
    check_machine_log(content, file->second, check);
  if (content.kernel_lines) {
    auto at = log.begin();
    for (const std::string& line : *content.kernel_lines) {
      at = std::find(at, log.end(), line);
      if (at == log.end()) {
        check.wrong.push_back(
            fmt::format("report.json lacks a line of kernel.jsonl: {}", line.substr(0, 100)));
        break;
      }
      ++at;
    }
    const std::set<std::string_view> kept(content.kernel_lines->begin(), content.kernel_lines->end());
    for (const std::string& line : log)
      if (accuses(line) && !kept.contains(line))
        check.wrong.push_back(
            fmt::format("kernel.jsonl lacks a line of report.json: {}", line.substr(0, 100)));
  }
  for (const TestResult& test : content.run.tests)
    if (test.id == kKernelTest && test.verdict == Verdict::Pass && std::ranges::any_of(log, accuses))
      check.wrong.push_back(fmt::format("{} passes, and the log accuses the kernel", test.id));
  return check;
}

}  // namespace conformance
