// SPDX-License-Identifier: BSD-3-Clause
//
// junit.xml: which child each verdict has, and that a run without its end shows it. readers_test.cpp has what
// a real reader makes of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/report/report.h"
#include "conformance/tests/views.h"

namespace conformance {
namespace {

using testing::HasSubstr;
using testing::Not;

// The child of the only test case of a run.
std::string child_of(Verdict verdict) {
  const std::string xml = to_junit(result_of_run({result_of_test("A", verdict)}));
  const size_t start = xml.find("<testcase ");
  const size_t child = xml.find('<', start + 1);
  return xml.substr(child, xml.find(' ', child) - child);
}

TEST(Junit, OnlyAPassHasNoChild) {
  for (const Verdict verdict : {Verdict::Crash, Verdict::Hang, Verdict::Fail})
    EXPECT_EQ(child_of(verdict), "<failure") << name_of(verdict);
  for (const Verdict verdict : {Verdict::Broken, Verdict::Unreached})
    EXPECT_EQ(child_of(verdict), "<error") << name_of(verdict);
  for (const Verdict verdict : {Verdict::Unsupported, Verdict::Skipped, Verdict::Waived})
    EXPECT_EQ(child_of(verdict), "<skipped") << name_of(verdict);
  EXPECT_THAT(to_junit(result_of_run({result_of_test("A", Verdict::Pass)})),
              HasSubstr("<testcase classname=\"mock\" name=\"A\" time=\"0.000\"/>"));
}

TEST(Junit, CountsEachVerdictOnce) {
  EXPECT_THAT(to_junit(run_of_all_verdicts()),
              HasSubstr("tests=\"9\" failures=\"3\" errors=\"2\" skipped=\"3\""));
}

TEST(Junit, MessageNamesTheVerdict) {
  EXPECT_THAT(to_junit(result_of_run({result_of_test("A", Verdict::Waived, "known")})),
              HasSubstr("<skipped type=\"waived\" message=\"waived: known\"/>"));
}

TEST(Junit, FailureSaysWhoWhereAndHowToSeeItAgain) {
  const std::string xml = to_junit(result_of_run({result_of_test("A", Verdict::Crash, "it ended")}));
  EXPECT_THAT(xml, HasSubstr("crash LISTEN-RET-2 by rdmacm: it ended&#10;"));
  EXPECT_THAT(xml, HasSubstr("at 1 points, the first: rpma_ep_listen/A&#10;"));
  EXPECT_THAT(xml, HasSubstr("again: rpma-conformance replay --provider mock rpma_ep_listen/A&#10;"));
}

TEST(Junit, RunWithoutItsEndHasAnErrorMore) {
  RunResult run = result_of_run({result_of_test("A", Verdict::Pass)});
  EXPECT_THAT(to_junit(run), Not(HasSubstr("<error")));
  run.selected = 3;
  const std::string xml = to_junit(run);
  EXPECT_THAT(xml, HasSubstr("tests=\"2\" failures=\"0\" errors=\"1\" skipped=\"0\""));
  EXPECT_THAT(
      xml,
      HasSubstr("<error type=\"incomplete\" message=\"incomplete: 2 of 3 selected tests did not run\">"));
  run.interrupted = "SIGTERM";
  EXPECT_THAT(to_junit(run), HasSubstr("message=\"incomplete: SIGTERM ended it early: 2 of 3"));
  EXPECT_THAT(to_junit(result_of_run({})), HasSubstr("message=\"incomplete: nothing ran\""));
}

TEST(Junit, SaysWhatIsTrueOfTheRun) {
  RunResult run = result_of_run({result_of_test("A", Verdict::Crash)});
  run.subject = "iut";
  const std::string xml = to_junit(run);
  EXPECT_THAT(xml, HasSubstr("<property name=\"verdict on the IUT\" value=\"pass\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"verdict on the stack\" value=\"crash\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"judged\" value=\"iut\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"exit code\" value=\"0\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"certifiable\" value=\"no ("));
}

}  // namespace
}  // namespace conformance
