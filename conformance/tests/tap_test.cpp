// SPDX-License-Identifier: BSD-3-Clause
//
// report.tap: what each verdict becomes, that a run without its end shows it, and that text from a stack
// stays data. readers_test.cpp has what real readers make of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <regex>
#include <sstream>

#include "conformance/report/report.h"
#include "conformance/tests/views.h"

namespace conformance {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> results_in(const std::string& tap) {
  std::vector<std::string> results;
  for (const std::string& line : lines_of(tap))
    if (line.starts_with("ok ") || line.starts_with("not ok ")) results.push_back(line);
  return results;
}

TEST(Tap, IsVersionPlanAndOneLineForEachTest) {
  const std::string tap =
      to_tap(result_of_run({result_of_test("A.One", Verdict::Pass), result_of_test("A.Two", Verdict::Pass)}));
  EXPECT_THAT(tap, StartsWith("TAP version 14\n1..2\n"));
  EXPECT_EQ(results_in(tap), (std::vector<std::string>{"ok 1 - A.One", "ok 2 - A.Two"}));
  EXPECT_THAT(tap, Not(HasSubstr("Bail out!")));
}

TEST(Tap, OnlyAPassIsOk) {
  EXPECT_EQ(
      results_in(to_tap(run_of_all_verdicts())),
      (std::vector<std::string>{"not ok 1 - crash", "not ok 2 - hang", "not ok 3 - fail", "not ok 4 - broken",
                                "not ok 5 - unreached", "not ok 6 - unsupported # SKIP unsupported: because",
                                "not ok 7 - skipped # SKIP skipped: because",
                                "not ok 8 - waived # TODO waived: because", "ok 9 - pass"}));
}

TEST(Tap, WhatIsNoPassSaysWhatIsKnown) {
  TestResult test = result_of_test("A", Verdict::Crash, "the \"process\" ended");
  test.clauses.push_back({"LISTEN-RET-1", Verdict::Pass, "", ""});
  test.clauses.front().points = {"p/1", "p/2", "p/3", "p/4", "p/5", "p/6"};
  EXPECT_THAT(to_tap(result_of_run({test})),
              HasSubstr("not ok 1 - A\n"
                        "  ---\n"
                        "  verdict: \"crash\"\n"
                        "  reason: \"the \\\"process\\\" ended\"\n"
                        "  clauses:\n"
                        "    - clause: \"LISTEN-RET-2\"\n"
                        "      verdict: \"crash\"\n"
                        "      module: \"rdmacm\"\n"
                        "      reason: \"the \\\"process\\\" ended\"\n"
                        "      points: 6\n"
                        "      at:\n"
                        "        - \"p/1\"\n"
                        "        - \"p/2\"\n"
                        "        - \"p/3\"\n"
                        "        - \"p/4\"\n"
                        "        - \"p/5\"\n"
                        "      again: \"rpma-conformance replay --provider mock p/1\"\n"
                        "  ...\n"));
}

TEST(Tap, SaysVerdictsAndExitCodeOfTheRun) {
  RunResult run = result_of_run({result_of_test("A", Verdict::Crash)});
  run.subject = "iut";
  const std::vector<std::string> lines = lines_of(to_tap(run));
  EXPECT_THAT(lines, Contains("# verdict on the IUT: pass"));
  EXPECT_THAT(lines, Contains("# verdict on the stack: crash (LISTEN-RET-2: because)"));
  EXPECT_THAT(lines, Contains("# judged: iut, exit code 0"));
}

TEST(Tap, RunWithoutItsEndBailsOut) {
  RunResult run = result_of_run({result_of_test("A", Verdict::Pass)});
  run.selected = 3;
  const std::string tap = to_tap(run);
  EXPECT_THAT(tap, StartsWith("TAP version 14\n1..3\n"));
  EXPECT_EQ(lines_of(tap).back(), "Bail out! 2 of 3 selected tests did not run");
}

TEST(Tap, InterruptedRunSaysBySignal) {
  RunResult run = result_of_run({result_of_test("A", Verdict::Pass)});
  run.selected = 3;
  run.interrupted = "SIGINT";
  EXPECT_EQ(lines_of(to_tap(run)).back(),
            "Bail out! SIGINT ended it early: 2 of 3 selected tests did not run");
  run.selected = 1;
  EXPECT_EQ(lines_of(to_tap(run)).back(), "Bail out! SIGINT ended it early");
}

TEST(Tap, WaivedSaysWhatItWouldHaveBeen) {
  const std::string tap = to_tap(result_of_run({result_of_test("A", Verdict::Waived)}));
  EXPECT_THAT(tap, HasSubstr("      verdict: \"waived\"\n"
                             "      waived: \"crash\"\n"
                             "      module: \"rdmacm\"\n"));
}

TEST(Tap, CommandIsAboutTheStackOfTheRun) {
  RunResult run = result_of_run({result_of_test("A", Verdict::Crash)});
  run.provider = "hw";
  run.stack.device = "mlx5_0, netdev eth0";
  run.stack.address = "192.0.2.7";
  run.stack.modules = {
      {.role = "iut", .path = "/opt/a b/librpma.so.0", .package = "", .build_id = "", .sha256 = ""},
      {.role = "rdmacm", .path = "/usr/lib/librdmacm.so.1", .package = "", .build_id = "", .sha256 = ""}};
  EXPECT_THAT(
      to_tap(run),
      HasSubstr("again: \"rpma-conformance replay --provider hw --device mlx5_0 --addr 192.0.2.7 --librpma "
                "'/opt/a b/librpma.so.0' rpma_ep_listen/A\"\n"));
  run.stack.modules = {{.role = "rdmacm",
                        .path = "/opt/core/lib/librdmacm.so.1",
                        .package = "",
                        .build_id = "",
                        .sha256 = ""}};
  EXPECT_THAT(to_tap(run), HasSubstr(" --rdma-core /opt/core/lib rpma_ep_listen/A\"\n"));
}

// A plan of 1..0 would say that there was nothing to do, and that is a success to most readers.
TEST(Tap, NothingRanIsNoEmptyPlan) {
  const std::string tap = to_tap(result_of_run({}));
  EXPECT_THAT(tap, StartsWith("TAP version 14\n1..1\n"));
  EXPECT_EQ(lines_of(tap).back(), "Bail out! nothing ran");
}

// Lines as Documentation/dev-tools/ktap.rst and the kernel's own parser know them. That takes leading blanks,
// so a YAML block could hold a result by accident.
TEST(Tap, KtapReadersFindTheSameLines) {
  for (const RunResult& run : {run_of_all_verdicts(), run_of_hostile_texts()}) {
    const std::vector<std::string> lines = lines_of(to_tap(run));
    const auto count = [&lines](const char* pattern) {
      return std::ranges::count_if(lines, [regex = std::regex(pattern)](const std::string& line) {
        return std::regex_search(line.substr(0, 1000), regex);  // which recurses for each character
      });
    };
    EXPECT_EQ(count("^\\s*K?TAP version"), 1);
    EXPECT_EQ(count("^\\s*1\\.\\.[0-9]+"), 1);
    EXPECT_EQ(count("^\\s*# Subtest: "), 0);
    EXPECT_EQ(count("^\\s*(ok|not ok) [0-9]+"), std::ssize(run.tests));
  }
}

TEST(Tap, TextFromAStackIsOneLineWithoutDirectives) {
  const std::string tap = to_tap(result_of_run({result_of_test("a # SKIP b\nok 2 - c\\", Verdict::Fail)}));
  EXPECT_EQ(results_in(tap), std::vector<std::string>{"not ok 1 - a \\# SKIP b ok 2 - c\\\\"});
  for (const char c : to_tap(run_of_hostile_texts())) ASSERT_TRUE(c == '\n' || c < '\0' || c >= ' ');
}

TEST(Tap, ReasonOfADirectiveIsEscapedToo) {
  EXPECT_THAT(to_tap(result_of_run({result_of_test("A", Verdict::Waived, "see #5\n# SKIP")})),
              HasSubstr("\nnot ok 1 - A # TODO waived: see \\#5 \\# SKIP\n"));
}

}  // namespace
}  // namespace conformance
