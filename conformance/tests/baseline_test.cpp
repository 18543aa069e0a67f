// SPDX-License-Identifier: BSD-3-Clause
//
// What a gate lets pass: exactly the findings of its baseline, and no clause worse than it was.
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

// Where a busy machine kept it from telling where it stands.
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
    run.selected = 1;  // also where a filter left something out
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
  run.filter = "**";  // which leaves nothing out either
  EXPECT_THAT(baseline.differences(run),
              ElementsAre(HasSubstr("known finding not seen: crash LISTEN-RET-2 by rdmacm in No.Such"),
                          "clause LISTEN-GONE-1 was pass, is not judged any more"));
  run.selected = 1;
  EXPECT_THAT(baseline.differences(run), IsEmpty()) << "nothing can be said of what was left out";
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

TEST(Baseline, WhatIsMisspeltIsRefused) {
  const std::pair<const char*, const char*> rows[] = {
      {"/finding", "is no field of a baseline"},
      {"/findings/0/test", "is no field of a baseline"},
      {"/findings/0/tests", "name no test"},
      {"/providers", "name no provider"},
  };
  for (const auto& [place, says] : rows) {
    Json json = document();
    json[Json::json_pointer(place)] = Json::array();
    try {
      baseline_of(json);
      ADD_FAILURE() << "accepted: " << place;
    } catch (const DocumentError& error) {
      EXPECT_THAT(error.what(), HasSubstr(says)) << place;
    }
  }
}

}  // namespace
}  // namespace conformance
