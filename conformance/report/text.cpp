// SPDX-License-Identifier: BSD-3-Clause
//
// The summary that a person reads at the end of a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "conformance/catalogue/clauses.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

constexpr size_t kPointsShown = 5;  // of a finding

std::string short_id(const std::string& id) {
  return id.empty() ? "none" : id.substr(0, 16);
}

void add_clauses(const RunResult& run, std::string& text) {
  text += "\nclause              verdict      promise\n";
  const auto judged = by_clause(run);
  size_t unjudged = 0;
  for (const Clause& clause : clauses()) {
    const auto found = judged.find(std::string(clause.id));
    if (found == judged.end()) {
      ++unjudged;
      continue;
    }
    text += fmt::format("{:<19} {:<12} {}\n", clause.id, name_of(found->second.verdict), clause.promise);
    if (found->second.verdict != Verdict::Pass) text += fmt::format("{:33}{}\n", "", found->second.reason);
  }
  if (unjudged > 0)
    text += fmt::format("({} clauses were not judged: no test that ran bears on them)\n", unjudged);
}

void add_stack(const RunResult& run, std::string& text) {
  text += "\nstack\n";
  for (const StackModule& module : run.stack.modules)
    text += fmt::format("  {:<8} {}  {}  build id {}\n", module.role, module.path,
                        module.package.empty() ? "(no package)" : module.package, short_id(module.build_id));
  text += fmt::format("  {:<8} {}\n", "kernel", run.stack.kernel);
  if (!run.stack.device.empty()) text += fmt::format("  {:<8} {}\n", "device", run.stack.device);
  text += fmt::format("  {:<8} {}\n", "address", run.stack.address);
  text += fmt::format("  {:<8} {}\n", "system", run.stack.distribution);
}

void add_findings(const RunResult& run, const std::string& options, std::string& text) {
  const std::vector<Finding> findings = findings_of(run);
  if (findings.empty()) return;
  text += "\nfindings\n";
  for (const Finding& finding : findings) {
    text += fmt::format("  {} {} by {}, at {} point{}: {}\n", name_of(finding.verdict), finding.clause,
                        finding.module, finding.points.size(), finding.points.size() == 1 ? "" : "s",
                        finding.reason);
    for (const std::string& frame : finding.stack) text += fmt::format("      {}\n", frame);
    for (size_t i = 0; i < std::min(finding.points.size(), kPointsShown); ++i)
      text += fmt::format("    {} {}\n", i == 0 ? "at:   " : "      ", finding.points[i]);
    if (finding.points.size() > kPointsShown)
      text += fmt::format("           and {} more in report.json\n", finding.points.size() - kPointsShown);
    // What the kernel did belongs to the run as a whole.
    if (finding.points.empty()) continue;
    text += finding.module == "kernel" ? fmt::format("    again:  rpma-conformance run {}\n", options)
                                       : fmt::format("    again:  rpma-conformance replay {} '{}'\n", options,
                                                     finding.points.front());
  }
}

// Tests that share a reason share a line: what stops one set-up usually stops all.
void add_unconcluded(const RunResult& run, std::string& text) {
  std::map<std::pair<Verdict, std::string>, std::vector<std::string>> by_reason;
  for (const TestResult& test : run.tests)
    if (is_inconclusive(test.verdict)) by_reason[{test.verdict, test.reason}].push_back(test.id);
  if (by_reason.empty()) return;
  text += "\nno verdict\n";
  for (const auto& [key, tests] : by_reason) {
    const std::string more = tests.size() > 1 ? fmt::format(" and {} more", tests.size() - 1) : "";
    text += fmt::format("  {} {}{}: {}\n", name_of(key.first), tests.front(), more, key.second);
  }
}

// Tests that share a note share a line.
void add_notes(const RunResult& run, std::string& text) {
  std::map<std::string, std::vector<std::string>> tests;
  for (const TestResult& test : run.tests)
    for (const std::string& note : test.notes) tests[note].push_back(test.id);
  if (!tests.empty()) text += "\nnot covered\n";
  for (const auto& [note, ids] : tests) text += fmt::format("  {}: {}\n", fmt::join(ids, ", "), note);
}

std::string with_reason(const Outcome& outcome) {
  return outcome.passed() ? "pass" : fmt::format("{} ({})", name_of(outcome.verdict()), outcome.reason());
}

}  // namespace

std::string to_text(const RunResult& run, const std::string& options) {
  std::string text;
  add_clauses(run, text);
  add_findings(run, options, text);
  add_unconcluded(run, text);
  add_notes(run, text);
  add_stack(run, text);
  text += fmt::format("\n{} tests, {} points, {} experiments on {}, {:.1f} s (seed {}{})\n", run.tests.size(),
                      points_of(run), run.experiments, run.provider, run.seconds, run.seed,
                      run.chose_all ? ", everything" : "");
  text += fmt::format("verdict on the IUT:   {}\n", with_reason(verdict_on(run, "iut")));
  text += fmt::format("verdict on the stack: {}\n", with_reason(verdict_on(run, "stack")));
  if (run.subject != "iut" && run.subject != "stack")
    text += fmt::format("verdict on {}: {}\n", run.subject, with_reason(verdict_on(run, run.subject)));
  const std::vector<std::string> incomplete = incomplete_because(run);
  text += incomplete.empty() ? "complete: yes\n"
                             : fmt::format("complete: no ({})\n", fmt::join(incomplete, "; "));
  const std::vector<std::string> against = uncertifiable_because(run);
  text += against.empty() ? "certifiable: yes\n"
                          : fmt::format("certifiable: no ({})\n", fmt::join(against, "; "));
  text += fmt::format("judged: {}, exit code {}\n", run.subject, exit_code_of(run));
  return text;
}

}  // namespace conformance
