// SPDX-License-Identifier: BSD-3-Clause
//
// For tests of the views of a result (TAP, JUnit): runs made by hand, one of them of hostile text.
#pragma once

#include <string>
#include <vector>

#include "conformance/report/result.h"

namespace conformance {

inline TestResult result_of_test(const std::string& id, Verdict verdict,
                                 const std::string& reason = "because") {
  TestResult test;
  test.id = id;
  test.verdict = verdict;
  ClauseResult clause;
  clause.clause = "LISTEN-RET-2";
  clause.verdict = verdict;
  if (verdict != Verdict::Pass) {
    test.reason = clause.reason = reason;
    clause.points = {"rpma_ep_listen/" + id};
    if (is_finding(verdict) || verdict == Verdict::Waived) clause.module = "rdmacm";
    if (verdict == Verdict::Waived) clause.waived = "crash";
  }
  test.clauses.push_back(clause);
  return test;
}

inline RunResult result_of_run(const std::vector<TestResult>& tests) {
  RunResult run;
  run.suite_version = "1.0";
  run.suite_commit = "0123";
  run.provider = "mock";
  run.started = "2026-01-01T00:00:00Z";
  run.tests = tests;
  run.selected = run.in_profile = tests.size();
  return run;
}

// One test of each verdict, named by it.
inline RunResult run_of_all_verdicts() {
  std::vector<TestResult> tests;
  tests.reserve(kVerdictNames.size());
  for (const std::string_view name : kVerdictNames)
    tests.push_back(result_of_test(std::string(name), *verdict_named(name)));
  return result_of_run(tests);
}

// Texts of a stack that could be mistaken for syntax in one of the formats.
inline const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = {
      "# SKIP nothing to see",
      "x # TODO later",
      R"(\# SKIP and \\# SKIP)",
      "\nok 1 - forged\n1..1\nBail out! forged",
      "\r\nok 2 - forged\r",
      "\n  ...\nok 3 - forged",
      "\n  ---\n  verdict: \"pass\"\n  ...",
      "word: \"value\", 'other': [1, {2}] & *x !y | > % @ `",
      R"("\"\u0000 \x00 ${HOME} $(false) `false`)",
      "</failure></testcase><testcase name=\"forged\"/><!-- ]]> & &amp; &#0; <?x?> <![CDATA[",
      "it's one' word\"",
      std::string("\x01\x02\x1b[31m\x7f\0\t", 10),
      "\xff\xfe\xc3\x28 \xed\xa0\x80",                  // not UTF-8
      "\xc2\x85\xe2\x80\xa8\xe2\x80\xa9 \xef\xbf\xbf",  // lines to some readers; what XML forbids
      "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80",           // plain text
      "",
      " ",
      std::string(10000, 'x'),
  };
  return texts;
}

// A failing test for each of them, in every field that can hold a stack's text.
inline RunResult run_of_hostile_texts() {
  std::vector<TestResult> tests;
  for (const std::string& text : hostile_texts()) {
    TestResult test = result_of_test(text, Verdict::Fail, text);
    ClauseResult& clause = test.clauses.front();
    clause.clause = clause.module = clause.signature = text;
    clause.stack = {text};
    clause.points = {text, "a: " + text, text + ": a"};
    tests.push_back(test);
  }
  RunResult run = result_of_run(tests);
  run.suite_version = run.suite_commit = run.provider = run.started = run.subject = hostile_texts().at(3);
  return run;
}

}  // namespace conformance
