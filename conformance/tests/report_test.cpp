// SPDX-License-Identifier: BSD-3-Clause
//
// Results: subjects, exit codes, formats.
#include "conformance/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/harness/kernel_log.h"
#include "conformance/report/document.h"
#include "conformance/suite/matrix.h"
#include "conformance/tool/temporary_folder.h"

namespace conformance {
namespace {

using testing::HasSubstr;
using testing::Not;

TestResult test_with(const std::string& id, Verdict verdict, const std::string& module) {
  TestResult test;
  test.id = id;
  test.verdict = verdict;
  test.reason = verdict == Verdict::Pass ? "" : "because <of> & \"that\"";
  test.clauses.push_back({"LISTEN-RET-2", verdict, test.reason, module, test.reason, {}, {"point/" + id}});
  return test;
}

RunResult run_with(const std::vector<TestResult>& tests) {
  RunResult run;
  run.suite_commit = "0123456789abcdef0123456789abcdef01234567";
  run.provider = "rxe";
  run.tests = tests;
  run.selected = run.in_profile = tests.size();
  return run;
}

TEST(ExitCode, PassIsZero) {
  EXPECT_EQ(exit_code_of(run_with({test_with("A", Verdict::Pass, "")})), 0);
}

TEST(ExitCode, NothingRanIsIncomplete) {
  EXPECT_EQ(exit_code_of(run_with({})), 3);
}

TEST(ExitCode, AllSkippedIsIncomplete) {
  EXPECT_EQ(exit_code_of(
                run_with({test_with("A", Verdict::Skipped, ""), test_with("B", Verdict::Unsupported, "")})),
            3);
}

TEST(ExitCode, SelectedButNotRunIsIncomplete) {
  RunResult run = run_with({test_with("A", Verdict::Pass, "")});
  run.selected = 2;
  EXPECT_EQ(exit_code_of(run), 3);
}

TEST(ExitCode, FindingOutweighsBrokenOutweighsIncomplete) {
  const TestResult skipped = test_with("A", Verdict::Skipped, "");
  const TestResult broken = test_with("B", Verdict::Broken, "");
  const TestResult fail = test_with("C", Verdict::Fail, "iut");
  EXPECT_EQ(exit_code_of(run_with({skipped, broken})), 2);
  EXPECT_EQ(exit_code_of(run_with({skipped, broken, fail})), 1);
}

TEST(Judge, AFindingInRdmacmIsTheStacksNotTheIuts) {
  RunResult run = run_with({test_with("A", Verdict::Crash, "rdmacm"), test_with("B", Verdict::Pass, "")});
  EXPECT_EQ(verdict_on(run, "iut").verdict(), Verdict::Pass);
  EXPECT_EQ(verdict_on(run, "stack").verdict(), Verdict::Crash);
  EXPECT_EQ(verdict_on(run, "driver,rdmacm").verdict(), Verdict::Crash);
  run.subject = "iut";
  EXPECT_EQ(exit_code_of(run), 0);
  run.subject = "stack";
  EXPECT_EQ(exit_code_of(run), 1);
}

TEST(Judge, AnUnreachedTestIsNotAPass) {
  const RunResult run = run_with({test_with("A", Verdict::Unreached, ""), test_with("B", Verdict::Pass, "")});
  EXPECT_EQ(verdict_on(run, "iut").verdict(), Verdict::Unreached);
}

TEST(ExitCode, WithoutFindingsBrokenAndUnreachedStillCount) {
  const TestResult fail = test_with("A", Verdict::Fail, "iut");
  EXPECT_EQ(exit_code_without_findings(run_with({fail})), 0);
  EXPECT_EQ(exit_code_without_findings(run_with({fail, test_with("B", Verdict::Unreached, "")})), 3);
  EXPECT_EQ(exit_code_without_findings(run_with({fail, test_with("B", Verdict::Broken, "")})), 2);
}

TEST(Judge, ASelectedTestThatDidNotRunIsNotAPass) {
  RunResult run = run_with({test_with("A", Verdict::Pass, "")});
  run.selected = 2;
  EXPECT_EQ(verdict_on(run, "iut").verdict(), Verdict::Skipped);
}

TEST(Findings, OfOneCauseAreOne) {
  const RunResult run = run_with({test_with("A", Verdict::Fail, "iut"), test_with("B", Verdict::Fail, "iut"),
                                  test_with("C", Verdict::Fail, "rdmacm")});
  const std::vector<Finding> findings = findings_of(run);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].points, (std::vector<std::string>{"point/A", "point/B"}));
}

TEST(Certifiable, NeverOnMockNorFilteredNorDirty) {
  RunResult run = run_with({test_with("A", Verdict::Pass, "")});
  EXPECT_TRUE(uncertifiable_because(run).empty());
  run.provider = "mock";
  EXPECT_FALSE(uncertifiable_because(run).empty());
  run.provider = "rxe";
  run.in_profile = 2;
  EXPECT_FALSE(uncertifiable_because(run).empty());
  run.in_profile = 1;
  run.suite_commit += "-dirty";
  EXPECT_FALSE(uncertifiable_because(run).empty());
}

TEST(Json, RoundTripKeepsEveryTest) {
  const RunResult run = run_with({test_with("A", Verdict::Pass, ""), test_with("B", Verdict::Hang, "iut")});
  const RunResult again = from_json(to_json(run));
  EXPECT_EQ(to_json(again), to_json(run));
}

// The schemas' validator takes it for 64 bits without a sign.
TEST(Json, ANegativeSeedIsRefused) {
  nlohmann::ordered_json json = to_json(run_with({test_with("A", Verdict::Pass, "")}));
  json["seed"] = -1;
  EXPECT_THROW(from_json(json), DocumentError);
}

TEST(Junit, HasTheRightChildAndNoForeignMarkup) {
  TestResult odd = test_with("D", Verdict::Fail, "iut");
  odd.reason = "\x01\xff</failure><x>";
  const std::string xml =
      to_junit(run_with({test_with("A", Verdict::Pass, ""), test_with("B", Verdict::Broken, ""),
                         test_with("C", Verdict::Unsupported, ""), odd}));
  EXPECT_THAT(xml, HasSubstr("tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(xml, Not(HasSubstr("<of>")));
  EXPECT_THAT(xml, Not(HasSubstr("<x>")));
  EXPECT_THAT(xml, Not(HasSubstr("\x01")));
  EXPECT_THAT(xml, Not(HasSubstr("\xff<")));
}

TEST(Text, SaysBothVerdictsAndTheExitCode) {
  const std::string text = to_text(run_with({test_with("A", Verdict::Crash, "rdmacm")}), "--provider rxe");
  EXPECT_THAT(text, HasSubstr("verdict on the IUT:   pass"));
  EXPECT_THAT(text, HasSubstr("verdict on the stack: crash"));
  EXPECT_THAT(text, HasSubstr("rpma-conformance replay --provider rxe 'point/A'"));
  EXPECT_THAT(text, HasSubstr("exit code 1"));
}

TEST(KernelLog, KnowsAFaultFromChatter) {
  EXPECT_EQ(verdict_on_kernel_line("rdma_rxe: loaded", false), Verdict::Pass);
  EXPECT_EQ(verdict_on_kernel_line("rxe0: added dummy0", false), Verdict::Pass);
  EXPECT_EQ(verdict_on_kernel_line("WARNING: CPU: 0 PID: 1 at drivers/infiniband/core/cma.c:1 x", true),
            Verdict::Fail);
  EXPECT_EQ(verdict_on_kernel_line("BUG: kernel NULL pointer dereference, address: 0", true), Verdict::Fail);
  EXPECT_EQ(verdict_on_kernel_line("traps: listener[7] general protection fault ip:7f sp:7f error:0", false),
            Verdict::Pass);
  // On a starved emulator this proves nothing against the kernel.
  EXPECT_EQ(verdict_on_kernel_line("watchdog: BUG: soft lockup - CPU#0 stuck for 26s!", true),
            Verdict::Broken);
  EXPECT_EQ(verdict_on_kernel_line("watchdog: BUG: soft lockup - CPU#0 stuck for 26s!", false),
            Verdict::Fail);
}

// A resumed run starts another machine.
TEST(KernelLogFile, HasTheLogOfEachMachineOnce) {
  const TemporaryFolder folder;
  const auto log = [&] {
    std::ifstream stream(folder.path() / kKernelLog);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  };
  add_to_kernel_log(folder.path(), "");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / kKernelLog)) << "without a log there is no file";
  add_to_kernel_log(folder.path(), "one\n");
  add_to_kernel_log(folder.path(), "other\n");
  EXPECT_EQ(log(), "one\nother\n");
  add_to_kernel_log(folder.path(), "one\nother\nmore\n");  // the same machine
  EXPECT_EQ(log(), "one\nother\nmore\n");
}

// A crash ends an experiment before other clauses are judged; a test may see findings of clauses that are not
// its own.
TEST(Matrix, CountsPointsThatJudgeTheClause) {
  Recorded recorded;
  TestResult test = test_with("Sweep.AllocationsBelow/Cold", Verdict::Crash, "rdmacm");
  test.clauses.front().points = {"crashed"};
  test.clauses.push_back({"LISTEN-BELOW-1", Verdict::Pass, "", ""});
  recorded.run = run_with({test});
  for (const auto& [point, verdict] :
       {std::pair("passed", Verdict::Pass), std::pair("failed", Verdict::Fail),
        std::pair("crashed", Verdict::Crash), std::pair("skipped", Verdict::Skipped)})
    recorded.points.push_back({test.id, {point, verdict, "", "", 0}});
  EXPECT_EQ(points_that_say(recorded, test.id, "LISTEN-BELOW-1", true), 2U);
  EXPECT_EQ(points_that_say(recorded, test.id, "LISTEN-RET-2", true), 3U);
  EXPECT_EQ(points_that_say(recorded, test.id, "LISTEN-RET-2", false), 1U);
  EXPECT_EQ(points_that_say(recorded, "Sweep.Other", "LISTEN-RET-2", true), 0U);
  EXPECT_THAT(tests_that_saw_besides(recorded.run, "LISTEN-RET-2"),
              testing::ElementsAre("Sweep.AllocationsBelow/Cold"));
  EXPECT_THAT(tests_that_saw_besides(recorded.run, "LISTEN-BELOW-1"), testing::IsEmpty());
}

}  // namespace
}  // namespace conformance
