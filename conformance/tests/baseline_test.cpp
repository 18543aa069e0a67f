// SPDX-License-Identifier: BSD-3-Clause
//
// A gate accepts exactly the findings of its baseline, and no clause that is worse.
#include "conformance/tool/baseline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "conformance/report/document.h"

namespace conformance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using Json = nlohmann::ordered_json;

// A crash of a known signature in the test A, and a clause that passes there and in B.
Json document() {
  return {{"schema", kBaselineSchema},
          {"stack", "toys"},
          {"providers", {"rxe", "hw"}},
          {"clauses", {{"LISTEN-RET-1", "pass"}, {"LISTEN-RET-2", "crash"}}},
          {"findings",
           {{{"clause", "LISTEN-RET-2"},
             {"module", "rdmacm"},
             {"verdict", "crash"},
             {"signature", "a < b"},
             {"note", ""},
             {"tests", {"A"}}}}}};
}

Baseline baseline_of(const Json& json) {
  return Baseline::parse(json.dump(), "rxe");
}

ClauseResult seen(const char* clause, Verdict verdict, const char* signature = "") {
  ClauseResult result{.clause = clause, .verdict = verdict, .reason = "", .module = ""};
  if (verdict == Verdict::Pass) return result;
  result.reason = "because";
  result.module = "rdmacm";
  result.signature = signature;
  result.stack = {"librdmacm.so.1+0x10"};
  result.points = {"p"};
  return result;
}

RunResult run_with_finding(const ClauseResult& finding) {
  RunResult run;
  run.provider = "rxe";
  run.filter = "*";
  run.selected = run.in_profile = 2;
  TestResult a;
  a.id = "A";
  a.clauses = {seen("LISTEN-RET-1", Verdict::Pass), finding};
  TestResult b;
  b.id = "B";
  b.clauses = {seen("LISTEN-RET-1", Verdict::Pass)};
  run.tests = {a, b};
  return run;
}

RunResult known() {
  return run_with_finding(seen("LISTEN-RET-2", Verdict::Crash, "a < b"));
}

TEST(Baseline, TheKnownFindingPasses) {
  EXPECT_THAT(baseline_of(document()).differences(known()), IsEmpty());
}

TEST(Baseline, AnotherCauseIsANewFinding) {
  EXPECT_THAT(
      baseline_of(document()).differences(run_with_finding(seen("LISTEN-RET-2", Verdict::Crash, "c < b"))),
      ElementsAre("new finding: crash LISTEN-RET-2 by rdmacm in A: c < b",
                  "known finding not seen: crash LISTEN-RET-2 by rdmacm in A: a < b"));
}

TEST(Baseline, WithoutSignaturesTheOldOnesStillHold) {
  Json old = document();
  old["findings"][0].erase("signature");
  EXPECT_THAT(baseline_of(old).differences(run_with_finding(seen("LISTEN-RET-2", Verdict::Crash, "c < b"))),
              IsEmpty());
}

// The stack of a hang cannot be read on a busy machine.
TEST(Baseline, AHangWithoutAStackIsTheKnownOne) {
  Json hangs = document();
  hangs["findings"][0]["verdict"] = hangs["clauses"]["LISTEN-RET-2"] = "hang";
  ClauseResult hang = seen("LISTEN-RET-2", Verdict::Hang, "stuck somewhere");
  EXPECT_FALSE(baseline_of(hangs).differences(run_with_finding(hang)).empty());
  hang.stack.clear();
  EXPECT_THAT(baseline_of(hangs).differences(run_with_finding(hang)), IsEmpty());
}

TEST(Baseline, AClauseIsNoWorseThanItWas) {
  for (const Verdict verdict :
       {Verdict::Broken, Verdict::Unreached, Verdict::Unsupported, Verdict::Skipped}) {
    RunResult run = known();
    run.tests[1].clauses = {seen("LISTEN-RET-1", verdict)};
    const std::string line =
        "clause LISTEN-RET-1 was pass, is " + std::string(name_of(verdict)) + ": because";
    EXPECT_THAT(baseline_of(document()).differences(run), ElementsAre(line));
    run.selected = 1;  // also with a filter
    EXPECT_THAT(baseline_of(document()).differences(run), ElementsAre(line));
  }
}

TEST(Baseline, AClauseThatIsBetterIsAnotherBaseline) {
  Json fails = document();
  fails["clauses"]["LISTEN-RET-1"] = "fail";
  EXPECT_THAT(baseline_of(fails).differences(known()), ElementsAre("clause LISTEN-RET-1 was fail, is pass"));
}

TEST(Baseline, WhatIsKnownMustBeThere) {
  Json more = document();
  more["findings"][0]["tests"].push_back("No.Such");
  more["clauses"]["LISTEN-GONE-1"] = "pass";
  const Baseline baseline = baseline_of(more);
  RunResult run = known();
  run.filter = "**";  // all tests, too
  EXPECT_THAT(baseline.differences(run),
              ElementsAre(HasSubstr("known finding not seen: crash LISTEN-RET-2 by rdmacm in No.Such"),
                          "clause LISTEN-GONE-1 was pass, is not judged now"));
  run.selected = 1;
  EXPECT_THAT(baseline.differences(run), IsEmpty()) << "tests that did not run are not compared";
}

TEST(Baseline, WhatIsWaivedIsSeenAndStopsNothing) {
  ClauseResult waived = seen("LISTEN-RET-2", Verdict::Waived, "a < b");
  waived.waived = "crash";
  EXPECT_THAT(baseline_of(document()).differences(run_with_finding(waived)), IsEmpty());
  Json nothing = document();
  nothing["findings"] = Json::array();
  nothing["clauses"]["LISTEN-RET-2"] = "pass";
  EXPECT_THAT(baseline_of(nothing).differences(run_with_finding(waived)), IsEmpty());
}

TEST(Baseline, OutsideItsSchemaOrOfAnotherProviderIsRefused) {
  const std::pair<const char*, const char*> rows[] = {{"/finding", "/"},
                                                      {"/findings/0/test", "/findings/0"},
                                                      {"/findings/0/tests", "/findings/0/tests"},
                                                      {"/providers", "/providers"}};
  for (const auto& [change, place] : rows) {
    Json json = document();
    json[Json::json_pointer(change)] = Json::array();
    try {
      baseline_of(json);
      ADD_FAILURE() << "accepted: " << change;
    } catch (const DocumentError& error) {
      EXPECT_THAT(error.what(), StartsWith(std::string(place) + ":")) << change;
    }
  }
  EXPECT_THROW(Baseline::parse(document().dump(), "mock"), DocumentError);
}

}  // namespace
}  // namespace conformance
