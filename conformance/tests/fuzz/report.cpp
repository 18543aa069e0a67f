// SPDX-License-Identifier: BSD-3-Clause
//
// Reports (from_json). May throw DocumentError alone, with one short line. What is accepted is written to the
// same document again and again; every view of it can be made; no text in it becomes markup; and exit code 0
// is given to no subject with a finding.
#include <nlohmann/json.hpp>

#include "conformance/report/document.h"
#include "conformance/report/html.h"
#include "conformance/report/report.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

namespace {

// Text must not begin a tag, end an attribute, or have characters that XML forbids.
void check_xml(const std::string& xml) {
  constexpr std::string_view kTags[] = {"<properties>", "</properties>", "<property ",   "<?xml ",
                                        "<testsuites ", "<testsuite ",   "<testcase ",   "<failure ",
                                        "<error ",      "<skipped ",     "</failure>",   "</error>",
                                        "</testcase>",  "</testsuite>",  "</testsuites>"};
  must(as_utf8(xml) == xml, "a JUnit file is UTF-8");
  bool in_tag = false;
  bool in_quotes = false;
  for (size_t i = 0; i < xml.size(); ++i) {
    const std::string_view rest = std::string_view(xml).substr(i);
    must(static_cast<unsigned char>(xml[i]) >= 0x20 || xml[i] == '\n', "XML holds no control characters");
    must(!rest.starts_with("\xef\xbf\xbe") && !rest.starts_with("\xef\xbf\xbf"),
         "XML holds no such character");
    if (xml[i] == '<') {
      bool known = false;
      for (const std::string_view tag : kTags) known = known || rest.starts_with(tag);
      must(known && !in_tag, "a JUnit file has our tags alone");
      in_tag = true;
    } else if (xml[i] == '"' && in_tag) {
      in_quotes = !in_quotes;
    } else if (xml[i] == '>' && in_tag && !in_quotes) {
      in_tag = false;
    }
  }
  must(!in_tag && !in_quotes, "each tag ends");
}

void check_lines(const std::string& text) {
  must(text.ends_with('\n'), "a view is made of lines");
  must(as_utf8(text) == text, "a view is UTF-8");
  for (const char c : text)
    must(c == '\n' || static_cast<unsigned char>(c) >= 0x20, "a line holds no control characters");
}

void check(const RunResult& run) {
  const nlohmann::ordered_json written = to_json(run);
  must(parse_document(written.dump(), kReportSchema) == written, "what is written can be read");
  must(to_json(from_json(written)) == written, "a report is the same when it is read again");
  check_xml(to_junit(run));
  check_lines(to_tap(run));
  check_lines(to_text(run, "--provider mock"));
  must(!to_html(written, {}).empty(), "a report can be shown as a page");
  const int code = exit_code_of(run);
  must(code >= 0 && code <= 3, "an exit code is one of ours");
  must(code != 0 || !is_finding(verdict_on(run, run.subject).verdict()),
       "a subject with a finding does not conform");
  must(code != 0 || !run.tests.empty(), "nothing conforms that was not tested");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  RunResult run;
  try {
    run = from_json(parse_document(text_of(data, size), kReportSchema));
  } catch (const DocumentError& error) {
    must_be_one_line(error.what());
    return 0;
  }
  check(run);  // from here on nothing may be thrown
  return 0;
}
