// SPDX-License-Identifier: BSD-3-Clause
//
// JUnit, for CI hosts. A finding is a failure; broken and unreached are errors; untested and waived are
// skipped, which no reader counts as passed. An unfinished run has one more test case, an error, because
// hosts do not compare the number of cases. Foreign text never becomes markup.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/report/plain.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

std::string as_xml(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\n':
        safe += "&#10;";  // also in an attribute
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string_view element_for(Verdict verdict) {
  if (is_finding(verdict)) return "failure";
  if (verdict == Verdict::Broken || verdict == Verdict::Unreached) return "error";
  return "skipped";
}

struct Counts {
  size_t failures = 0;
  size_t errors = 0;
  size_t skipped = 0;
};

// The child of a case that is not a pass. Readers show either type or message, so the message has both.
std::string child(const RunResult& run, const TestResult& test, Counts& counts) {
  const std::string_view element = element_for(test.verdict);
  (element == "failure" ? counts.failures : element == "error" ? counts.errors : counts.skipped) += 1;
  std::string xml = fmt::format(R"(      <{0} type="{1}" message="{1}: {2}")", element, name_of(test.verdict),
                                as_xml(test.reason));
  // "skipped" takes no text in the schema that most readers follow.
  if (element == "skipped") return xml + "/>\n";
  std::string body;
  for (const ClauseResult& clause : test.clauses) {
    if (clause.verdict == Verdict::Pass) continue;
    const std::string by = clause.module.empty() ? "" : " by " + clause.module;
    body += fmt::format("{} {}{}: {}\n", name_of(clause.verdict), clause.clause, by, clause.reason);
    for (const std::string& frame : clause.stack) body += fmt::format("    {}\n", frame);
    if (!clause.points.empty())
      body += fmt::format("  at {} points, the first: {}\n  again: {}\n", clause.points.size(),
                          clause.first_point(), again_command(run, clause));
  }
  return xml + fmt::format(">{}</{}>\n", as_xml(body), element);
}

std::string test_case(const RunResult& run, const TestResult& test, Counts& counts) {
  const std::string start = fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")",
                                        as_xml(run.provider), as_xml(test.id), test.seconds);
  if (test.verdict == Verdict::Pass) return start + "/>\n";
  return fmt::format("{}>\n{}    </testcase>\n", start, child(run, test, counts));
}

// Properties of the whole run, for readers that have this file only.
std::string properties(const RunResult& run) {
  const auto yes_or_why = [](const std::vector<std::string>& against) {
    return against.empty() ? "yes" : fmt::format("no ({})", fmt::join(against, "; "));
  };
  std::string xml = "    <properties>\n";
  const auto add = [&xml](std::string_view name, std::string_view value) {
    xml += fmt::format("      <property name=\"{}\" value=\"{}\"/>\n", name, as_xml(value));
  };
  add("suite", fmt::format("rpma-conformance {} ({})", run.suite_version, run.suite_commit));
  add("verdict on the IUT", name_of(verdict_on(run, "iut").verdict()));
  add("verdict on the stack", name_of(verdict_on(run, "stack").verdict()));
  add("judged", run.subject);
  add("exit code", std::to_string(exit_code_of(run)));
  add("complete", yes_or_why(incomplete_because(run)));
  add("certifiable", yes_or_why(uncertifiable_because(run)));
  return xml + "    </properties>\n";
}

}  // namespace

std::string to_junit(const RunResult& run) {
  Counts counts;
  std::string cases;
  for (const TestResult& test : run.tests) cases += test_case(run, test, counts);
  size_t tests = run.tests.size();
  if (const std::string why = unfinished_because(run); !why.empty()) {
    ++tests;
    ++counts.errors;
    cases += fmt::format(
        "    <testcase classname=\"{}\" name=\"(the rest of the run)\" time=\"0.000\">\n"
        "      <error type=\"incomplete\" message=\"incomplete: {}\"></error>\n    </testcase>\n",
        as_xml(run.provider), as_xml(why));
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"rpma-conformance\" tests=\"{0}\" failures=\"{1}\" errors=\"{2}\" "
      "time=\"{3:.3f}\">\n"
      "  <testsuite name=\"listen on {4}\" tests=\"{0}\" failures=\"{1}\" errors=\"{2}\" skipped=\"{5}\" "
      "time=\"{3:.3f}\" timestamp=\"{6}\">\n{7}{8}  </testsuite>\n</testsuites>\n",
      tests, counts.failures, counts.errors, run.seconds, as_xml(run.provider), counts.skipped,
      as_xml(run.started), properties(run), cases);
}

}  // namespace conformance
