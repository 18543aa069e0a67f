// SPDX-License-Identifier: BSD-3-Clause
//
// JUnit: what CI hosts read. A finding is a failure; what could not be judged is an error, and where the
// provider cannot do it, skipped. Text from a stack is data: nothing in it can become markup.
#include <fmt/format.h>

#include "conformance/report/document.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

std::string escaped(const std::string& text) {
  const std::string known = as_utf8(text);
  std::string safe;
  for (size_t i = 0; i < known.size(); ++i) {
    // XML 1.0 has no place for U+FFFE and U+FFFF.
    const std::string_view character = std::string_view(known).substr(i, 3);
    if (character == "\xef\xbf\xbe" || character == "\xef\xbf\xbf") {
      safe += '?';
      i += 2;
      continue;
    }
    switch (const char c = known[i]) {
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
        safe += "&#10;";
        break;
      default:
        // Nor for other control characters, not even escaped.
        safe += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return safe;
}

std::string_view element_for(Verdict verdict) {
  if (is_finding(verdict)) return "failure";
  if (verdict == Verdict::Broken || verdict == Verdict::Unreached) return "error";
  return "skipped";
}

}  // namespace

std::string to_junit(const RunResult& run) {
  size_t failures = 0;
  size_t errors = 0;
  size_t skipped = 0;
  std::string cases;
  for (const TestResult& test : run.tests) {
    cases += fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")", escaped(run.provider),
                         escaped(test.id), test.seconds);
    if (test.verdict == Verdict::Pass) {
      cases += "/>\n";
      continue;
    }
    const std::string_view element = element_for(test.verdict);
    (element == "failure" ? failures : element == "error" ? errors : skipped) += 1;
    cases += fmt::format(">\n      <{0} type=\"{1}\" message=\"{2}\"", element, name_of(test.verdict),
                         escaped(test.reason));
    std::string body;
    for (const ClauseResult& clause : test.clauses)
      if (clause.verdict != Verdict::Pass)
        body += fmt::format("{} {}: {} [{}] at {}\n", name_of(clause.verdict), clause.clause, clause.reason,
                            clause.module, clause.first_point());
    // "skipped" takes no text in the schema that most readers follow.
    cases += element == "skipped" ? std::string("/>\n") : fmt::format(">{}</{}>\n", escaped(body), element);
    cases += "    </testcase>\n";
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"rpma-conformance\" tests=\"{0}\" failures=\"{1}\" errors=\"{2}\" "
      "time=\"{3:.3f}\">\n"
      "  <testsuite name=\"listen on {4}\" tests=\"{0}\" failures=\"{1}\" errors=\"{2}\" skipped=\"{5}\" "
      "time=\"{3:.3f}\" timestamp=\"{6}\">\n{7}  </testsuite>\n</testsuites>\n",
      run.tests.size(), failures, errors, run.seconds, escaped(run.provider), skipped, escaped(run.started),
      cases);
}

}  // namespace conformance
