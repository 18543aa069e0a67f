// SPDX-License-Identifier: BSD-3-Clause
//
// Compares the journals, which are written during the run, with report.json.
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

// Compares the points of one test with its result.
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
      say(fmt::format("has {} lines in points.jsonl, {} points in its result", points_.size(), test_.points));
    if (points_.empty()) {
      // The kernel's log has no points; a sweep whose control failed has no verdict.
      if (test_.id != kKernelTest && (test_.verdict == Verdict::Pass || is_finding(test_.verdict)))
        say(fmt::format("is {} without a point", name_of(test_.verdict)));
      return;
    }
    for (const PointResult* point : points_) check_point(*point);
    for (const ClauseResult& clause : test_.clauses) check_clause(clause);
  }

 private:
  void say(const std::string& what) { wrong_.push_back(fmt::format("{} {}", test_.id, what)); }

  // The verdict of a point must be in the result of its test.
  void check_point(const PointResult& point) {
    if (point.verdict == Verdict::Pass) return;
    const bool concluded =
        std::ranges::any_of(clauses_at_[point.point], [&point](const ClauseResult* clause) {
          return clause->verdict == point.verdict && point.reason.starts_with(clause->clause + ": ") &&
                 (!is_finding(point.verdict) || clause->module == point.module);
        });
    if (!concluded)
      say(fmt::format("has {} at {}, which is not in its result", name_of(point.verdict), point.point));
  }

  // A result must not be worse than its points.
  void check_clause(const ClauseResult& clause) {
    if (clause.verdict == Verdict::Pass) return;
    if (clause.points.empty())
      say(fmt::format("has {} of {} without a point", name_of(clause.verdict), clause.clause));
    for (const std::string& id : clause.points) {
      const auto line = worst_at_.find(id);
      if (line == worst_at_.end() || line->second > clause.verdict)
        say(fmt::format("has {} of {} at {}, which is not in points.jsonl", name_of(clause.verdict),
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

// Escaped as in /dev/kmsg, the source of kernel.jsonl.
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

// The lines of kernel.log, each with and without its prefix "[   45.367713] " or "[   45.367713][  T123] ".
std::set<std::string> lines_of_machine(std::string_view log) {
  constexpr int kMostBrackets = 2;
  std::set<std::string> lines;
  while (!log.empty()) {
    const size_t end = std::min(log.find('\n'), log.size());
    std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    lines.insert(as_utf8(line));  // as on the console of a lost machine
    for (int i = 0; i < kMostBrackets && line.starts_with('[') && line.find(']') != std::string_view::npos;
         ++i) {
      line.remove_prefix(line.find(']') + 1);
      if (line.starts_with(' ')) line.remove_prefix(1);
      lines.insert(as_in_kmsg(line));
    }
  }
  return lines;
}

// kernel.log is the machine's whole log. Harmless lines may be missing there, lines that are findings may
// not.
void check_machine_log(const Content& content, std::string_view file, Check& check) {
  if (content.run.provider == "mock")
    return check.wrong.push_back(fmt::format("{} does not belong to a run on the mock", kKernelLog));
  if (!content.kernel_lines) return;
  const std::set<std::string> logged = lines_of_machine(file);
  for (const std::string& line : *content.kernel_lines) {
    // A record with several lines is several lines there.
    if (!accuses(line) || is_said_of_the_kernel(line) || logged.contains(line) ||
        logged.contains(line.substr(0, line.find("\\x0a"))))
      continue;
    const std::string lacks = fmt::format("{} has no line: {}", kKernelLog, line.substr(0, 100));
    // A killed run may lose the log of an earlier machine.
    if (content.run.resumed == 0) return check.wrong.push_back(lacks);
    check.note = lacks;
    return;
  }
  // From before or after the run: a note for the reader.
  const std::set<std::string_view> judged(content.kernel_lines->begin(), content.kernel_lines->end());
  const auto unjudged = std::ranges::find_if(logged, [&judged](const std::string& line) {
    return !line.starts_with('[') && accuses(line) && !judged.contains(line);
  });
  if (unjudged != logged.end())
    check.note =
        fmt::format("{} has a kernel finding outside of the run: {}", kKernelLog, unjudged->substr(0, 100));
}

}  // namespace

// The tests of results.jsonl with the waivers applied are those of report.json.
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
      check.wrong.push_back(fmt::format("{} is only in report.json", test.id));
      continue;
    }
    again.tests.push_back(*found->second);
    journal.erase(found);
  }
  for (const auto& [id, test] : journal) check.wrong.push_back(fmt::format("report.json has no {}", id));
  if (!check.wrong.empty()) return check;
  try {
    if (content.waivers)
      apply_waivers(parse_waivers(*content.waivers, content.run.started.substr(0, kDaySize)), again);
  } catch (const DocumentError&) {
    return check;  // check_waivers() tells
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
  // An interrupted test has points, but no result.
  const std::vector<std::string> wanted = content.profile.tests_on(content.run.provider);
  const bool cut_short = content.run.tests.size() < content.run.selected;
  for (const auto& [test, points] : by_test)
    if (!cut_short || !std::ranges::binary_search(wanted, test))
      check.wrong.push_back(fmt::format("{} has points, but no result", test));
  check.note = fmt::format("{} points", content.points.size());
  return check;
}

// Kernel lines are in both files, and a line that is a finding is not a pass.
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
        check.wrong.push_back(fmt::format("report.json has no line: {}", line.substr(0, 100)));
        break;
      }
      ++at;
    }
    const std::set<std::string_view> kept(content.kernel_lines->begin(), content.kernel_lines->end());
    for (const std::string& line : log)
      if (accuses(line) && !kept.contains(line))
        check.wrong.push_back(fmt::format("kernel.jsonl has no line: {}", line.substr(0, 100)));
  }
  for (const TestResult& test : content.run.tests)
    if (test.id == kKernelTest && test.verdict == Verdict::Pass && std::ranges::any_of(log, accuses))
      check.wrong.push_back(fmt::format("{} passes, but the log has a kernel finding", test.id));
  return check;
}

}  // namespace conformance
