// SPDX-License-Identifier: BSD-3-Clause
//
// The summary that a person reads at the end of a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "conformance/catalogue/clauses.h"
#include "conformance/report/plain.h"
#include "conformance/report/report.h"
#include "conformance/report/waivers.h"

namespace conformance {
namespace {

constexpr size_t kPointsOfAFinding = 5;  // of a finding

// Always in quotes, as people are used to see a point.
std::string quoted(const std::string& point) {
  return point.find('\'') == std::string::npos ? "'" + point + "'" : shell_quoted(point);
}

void add_clauses(const RunResult& run, Lines& text) {
  text.line("");
  text.line("clause              verdict      promise");
  const auto judged = by_clause(run);
  size_t unjudged = 0;
  for (const Clause& clause : clauses()) {
    const auto found = judged.find(std::string(clause.id));
    if (found == judged.end()) {
      ++unjudged;
      continue;
    }
    text.line("{:<19} {:<12} {}", clause.id, name_of(found->second.verdict), clause.promise);
    if (found->second.verdict != Verdict::Pass) text.line("{:33}{}", "", found->second.reason);
  }
  if (unjudged > 0) text.line("({} clauses were not judged: none of their tests ran)", unjudged);
}

void add_stack(const RunResult& run, Lines& text) {
  text.line("");
  text.line("stack");
  for (const StackModule& module : run.stack.modules)
    text.line("  {:<8} {}  {}  build id {}", module.role, module.path,
              module.package.empty() ? "(no package)" : module.package,
              module.build_id.empty() ? "none" : module.build_id);
  text.line("  {:<8} {}", "kernel", run.stack.kernel);
  if (!run.stack.device.empty()) text.line("  {:<8} {}", "device", run.stack.device);
  text.line("  {:<8} {}", "address", run.stack.address);
  text.line("  {:<8} {}", "system", run.stack.distribution);
}

void add_findings(const RunResult& run, const std::string& options, Lines& text) {
  const std::vector<Finding> findings = findings_of(run);
  if (findings.empty()) return;
  text.line("");
  text.line("findings");
  for (const Finding& finding : findings) {
    text.line("  {} {} by {}, at {} point{}: {}", name_of(finding.verdict), finding.clause, finding.module,
              finding.points.size(), finding.points.size() == 1 ? "" : "s", finding.reason);
    for (const std::string& frame : finding.stack) text.line("      {}", frame);
    for (size_t i = 0; i < std::min(finding.points.size(), kPointsOfAFinding); ++i)
      text.line("    {} {}", i == 0 ? "at:   " : "      ", finding.points[i]);
    if (finding.points.size() > kPointsOfAFinding)
      text.line("           and {} more in report.json", finding.points.size() - kPointsOfAFinding);
    // What the kernel did belongs to the run as a whole.
    if (finding.points.empty()) continue;
    if (finding.module == "kernel")
      text.line("    again:  rpma-conformance run {}", options);
    else
      text.line("    again:  rpma-conformance replay {} {}", options, quoted(finding.points.front()));
  }
}

// Tests that share a reason share a line: what stops one set-up usually stops all.
void add_unconcluded(const RunResult& run, Lines& text) {
  std::map<std::pair<Verdict, std::string>, std::vector<std::string>> by_reason;
  for (const TestResult& test : run.tests)
    if (is_inconclusive(test.verdict)) by_reason[{test.verdict, test.reason}].push_back(test.id);
  if (by_reason.empty()) return;
  text.line("");
  text.line("no verdict");
  for (const auto& [key, tests] : by_reason) {
    const std::string more = tests.size() > 1 ? fmt::format(" and {} more", tests.size() - 1) : "";
    text.line("  {} {}{}: {}", name_of(key.first), tests.front(), more, key.second);
  }
}

// Tests that share a note share a line.
void add_notes(const RunResult& run, Lines& text) {
  std::map<std::string, std::vector<std::string>> tests;
  for (const TestResult& test : run.tests)
    for (const std::string& note : test.notes) tests[note].push_back(test.id);
  if (tests.empty()) return;
  text.line("");
  text.line("not covered");
  for (const auto& [note, ids] : tests) text.line("  {}: {}", fmt::join(ids, ", "), note);
}

// All of them, also those that are not used any more.
void add_waivers(const RunResult& run, Lines& text) {
  if (run.waivers.empty()) return;
  text.line("");
  text.line("waivers");
  for (const Waiver& waiver : run.waivers)
    text.line("  {}: {}, {} until {}{}", waiver.state, waiver.text(), waiver.owner, waiver.expires,
              waiver.state == "stale" ? "; the finding is gone, remove the waiver" : "");
}

std::string yes_or_why(const std::vector<std::string>& against) {
  return against.empty() ? "yes" : fmt::format("no ({})", fmt::join(against, "; "));
}

std::string with_reason(const Outcome& outcome) {
  return outcome.passed() ? "pass" : fmt::format("{} ({})", name_of(outcome.verdict()), outcome.reason());
}

}  // namespace

std::string to_text(const RunResult& run, const std::string& options) {
  Lines text;
  add_clauses(run, text);
  add_findings(run, options, text);
  add_unconcluded(run, text);
  add_waivers(run, text);
  add_notes(run, text);
  add_stack(run, text);
  text.line("");
  text.line("{} tests, {} points, {} experiments on {}, {:.1f} s (seed {}{})", run.tests.size(),
            points_of(run), run.experiments, run.provider, run.seconds, run.seed,
            run.chose_all ? ", everything" : "");
  text.line("verdict on the IUT:   {}", with_reason(verdict_on(run, "iut")));
  text.line("verdict on the stack: {}", with_reason(verdict_on(run, "stack")));
  if (run.subject != "iut" && run.subject != "stack")
    text.line("verdict on {}: {}", run.subject, with_reason(verdict_on(run, run.subject)));
  text.line("complete: {}", yes_or_why(incomplete_because(run)));
  text.line("certifiable: {}", yes_or_why(uncertifiable_because(run)));
  text.line("judged: {}, exit code {}", run.subject, exit_code_of(run));
  return text.text();
}

}  // namespace conformance
