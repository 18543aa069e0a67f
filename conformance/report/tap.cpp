// SPDX-License-Identifier: BSD-3-Clause
//
// TAP 14, for TAP harnesses and the kernel's KTAP readers: one line for each test, and below it the details
// as YAML where it is not a pass.
//
// Only a pass is "ok", so that a reader without support for directives counts correctly:
//
// - A finding, `broken` and `unreached` are "not ok".
// - `unsupported` and `skipped` are "not ok ... # SKIP why". TAP 14 and KTAP allow either word there and read
//   "skipped". prove wants "ok" and fails, as our exit code 3 (incomplete) does.
// - `waived` is "not ok ... # TODO waived: why". prove reads a failure that is known, which lets the run
//   pass, as our exit code does. KTAP has no TODO and reads a failure.
//
// The plan is what was selected. Where less ran, the plan is not fulfilled and "Bail out!" says why: TAP
// readers know the words, KTAP readers count.
//
// KTAP takes the version line of TAP 14. Subtests, which look different there, are not used. It advises
// against YAML but skips it, and no line of a block begins as a result, a plan or a version does. It has no
// '#' in a name; no test of ours has one either. prove knows version 14 from Test::Harness 3.48 on; an older
// one reads this too where it is told that it is 13: prove --exec "sed 1s/14/13/" report.tap
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "conformance/report/plain.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

constexpr size_t kPointsOfAClause = 5;  // of a clause; report.json has them all

// One line in which nothing is a directive.
std::string without_directives(std::string_view text) {
  std::string line;
  for (const char c : printable(text)) {
    if (c == '#' || c == '\\') line += '\\';
    line += c == '\n' ? ' ' : c;
  }
  return line;
}

// A JSON string of ASCII characters is a YAML string too.
std::string yaml_string(std::string_view text) {
  return nlohmann::json(std::string(text)).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

// The same in a list, where prove would take `"word: ` for a key.
std::string yaml_item(std::string_view text) {
  std::string item = yaml_string(text);
  for (size_t at = 0; (at = item.find(": ", at)) != std::string::npos;) item.replace(at, 1, "\\u003a");
  return item;
}

std::string directive(const TestResult& test) {
  switch (test.verdict) {
    case Verdict::Unsupported:
    case Verdict::Skipped:
      return fmt::format(" # SKIP {}: {}", name_of(test.verdict), without_directives(test.reason));
    case Verdict::Waived:
      return fmt::format(" # TODO {}: {}", name_of(test.verdict), without_directives(test.reason));
    default:
      return "";
  }
}

void add_clause(const RunResult& run, const ClauseResult& clause, std::string& text) {
  text += fmt::format("    - clause: {}\n", yaml_string(clause.clause));
  text += fmt::format("      verdict: {}\n", yaml_string(name_of(clause.verdict)));
  if (!clause.waived.empty()) text += fmt::format("      waived: {}\n", yaml_string(clause.waived));
  if (!clause.module.empty()) text += fmt::format("      module: {}\n", yaml_string(clause.module));
  text += fmt::format("      reason: {}\n", yaml_string(clause.reason));
  if (clause.points.empty()) return;
  text += fmt::format("      points: {}\n      at:\n", clause.points.size());
  for (size_t i = 0; i < std::min(clause.points.size(), kPointsOfAClause); ++i)
    text += fmt::format("        - {}\n", yaml_item(clause.points[i]));
  text += fmt::format("      again: {}\n", yaml_string(again_command(run, clause)));
}

void add_block(const RunResult& run, const TestResult& test, std::string& text) {
  text += fmt::format("  ---\n  verdict: {}\n  reason: {}\n", yaml_string(name_of(test.verdict)),
                      yaml_string(test.reason));
  const auto is_shown = [](const ClauseResult& clause) { return clause.verdict != Verdict::Pass; };
  if (std::ranges::any_of(test.clauses, is_shown)) text += "  clauses:\n";
  for (const ClauseResult& clause : test.clauses)
    if (is_shown(clause)) add_clause(run, clause, text);
  text += "  ...\n";
}

void add_comment(std::string_view name, const Outcome& outcome, std::string& text) {
  text += fmt::format("# verdict on the {}: {}{}\n", name, name_of(outcome.verdict()),
                      outcome.passed() ? "" : " (" + without_directives(outcome.reason()) + ")");
}

}  // namespace

std::string to_tap(const RunResult& run) {
  // Never 1..0, which means that all is well and nothing was to be done.
  std::string text = fmt::format("TAP version 14\n1..{}\n", std::max<size_t>(run.selected, 1));
  text += fmt::format("# rpma-conformance {} ({}) on {}\n", without_directives(run.suite_version),
                      without_directives(run.suite_commit), without_directives(run.provider));
  size_t number = 0;
  for (const TestResult& test : run.tests) {
    text += fmt::format("{} {} - {}{}\n", test.verdict == Verdict::Pass ? "ok" : "not ok", ++number,
                        without_directives(test.id), directive(test));
    if (test.verdict != Verdict::Pass) add_block(run, test, text);
  }
  add_comment("IUT", verdict_on(run, "iut"), text);
  add_comment("stack", verdict_on(run, "stack"), text);
  text += fmt::format("# judged: {}, exit code {}\n", without_directives(run.subject), exit_code_of(run));
  if (const std::string why = unfinished_because(run); !why.empty())
    text += fmt::format("Bail out! {}\n", without_directives(why));
  return text;
}

}  // namespace conformance
