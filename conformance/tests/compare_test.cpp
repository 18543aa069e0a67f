// SPDX-License-Identifier: BSD-3-Clause
//
// The comparison of two runs: what is a regression, and that shifted ordinals are none.
#include "conformance/report/compare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace conformance {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

// One test that judges LISTEN-RET-2 at the given points.
Recorded recorded(Verdict verdict, const std::vector<std::string>& points,
                  const std::string& signature = "a < b") {
  Recorded recorded;
  TestResult test;
  test.id = "Sweep.AllocationsBelow/Cold";
  test.verdict = verdict;
  const bool passes = verdict == Verdict::Pass;
  test.clauses.push_back({"LISTEN-RET-2",
                          verdict,
                          passes ? "" : "because",
                          passes ? "" : "rdmacm",
                          passes ? "" : signature,
                          {},
                          passes ? std::vector<std::string>() : points});
  recorded.run.tests.push_back(test);
  for (const std::string& point : points)
    recorded.points.push_back({test.id,
                               {point, verdict, passes ? "" : "because", passes ? "" : "rdmacm", 0, "calloc",
                                "rdmacm", "librdmacm!rdma_create_id"}});
  return recorded;
}

std::string calloc(int when) {
  return "rpma_ep_listen/calloc:error=ENOMEM:when=" + std::to_string(when) + ":caller=@rdmacm/cold/null";
}

auto is(ChangeKind kind, const std::string& text, bool regression) {
  return AllOf(Field(&Change::kind, kind), Field(&Change::what, HasSubstr(text)),
               Field(&Change::regression, regression));
}

TEST(Compare, EqualRunsDoNotDiffer) {
  EXPECT_THAT(compare(recorded(Verdict::Pass, {calloc(1)}), recorded(Verdict::Pass, {calloc(1)})), IsEmpty());
  EXPECT_THAT(compare(recorded(Verdict::Crash, {calloc(1)}), recorded(Verdict::Crash, {calloc(1)})),
              IsEmpty());
}

TEST(Compare, WhatPassedAndFailsIsARegression) {
  EXPECT_THAT(compare(recorded(Verdict::Pass, {calloc(1)}), recorded(Verdict::Crash, {calloc(1)})),
              ElementsAre(is(ChangeKind::Worse, "clause LISTEN-RET-2: was pass, is crash", true),
                          is(ChangeKind::Worse, "test Sweep.AllocationsBelow/Cold: was pass, is crash", true),
                          is(ChangeKind::Appeared, "finding crash LISTEN-RET-2 by rdmacm", true),
                          is(ChangeKind::Worse, "point rpma_ep_listen/calloc", true)));
}

TEST(Compare, WhatFailedAndPassesIsNone) {
  EXPECT_THAT(
      compare(recorded(Verdict::Crash, {calloc(1)}), recorded(Verdict::Pass, {calloc(1)})),
      ElementsAre(is(ChangeKind::Better, "clause", false), is(ChangeKind::Better, "test", false),
                  is(ChangeKind::Vanished, "finding", false), is(ChangeKind::Better, "point", false)));
}

TEST(Compare, AnotherCauseIsANewFinding) {
  EXPECT_THAT(
      compare(recorded(Verdict::Crash, {calloc(1)}, "a < b"), recorded(Verdict::Crash, {calloc(1)}, "c < b")),
      ElementsAre(is(ChangeKind::Appeared, "c < b", true), is(ChangeKind::Vanished, "a < b", false)));
}

TEST(Compare, AClauseThatIsNotJudgedAnyMoreIsARegression) {
  Recorded after = recorded(Verdict::Pass, {calloc(1)});
  after.run.tests[0].clauses.clear();
  EXPECT_THAT(compare(recorded(Verdict::Pass, {calloc(1)}), after),
              ElementsAre(is(ChangeKind::Vanished, "clause LISTEN-RET-2", true)));
}

TEST(Compare, WhatPassedAndWasNotConcludedIsARegression) {
  EXPECT_THAT(compare(recorded(Verdict::Pass, {calloc(1)}), recorded(Verdict::Unreached, {calloc(1)})),
              ElementsAre(is(ChangeKind::Worse, "clause", true), is(ChangeKind::Worse, "test", true),
                          is(ChangeKind::Worse, "point", true)));
}

// ... and a finding that is not judged now is not better.
TEST(Compare, AFindingThatIsNotConcludedAnyMoreIsNotBetter) {
  const Recorded before = recorded(Verdict::Crash, {calloc(1)});
  const Recorded after = recorded(Verdict::Broken, {calloc(1)});
  EXPECT_THAT(compare(before, after),
              ElementsAre(is(ChangeKind::Worse, "clause", false), is(ChangeKind::Worse, "test", false),
                          is(ChangeKind::Vanished, "finding", false), is(ChangeKind::Worse, "point", false)));
  EXPECT_THAT(tests_not_concluded(before.run, after.run), ElementsAre("Sweep.AllocationsBelow/Cold"));
}

// A known finding does not excuse others like it.
TEST(Compare, MorePointsOfOneGroupThatFailAreARegression) {
  Recorded one = recorded(Verdict::Crash, {calloc(1), calloc(2), calloc(3)});
  Recorded all = one;
  one.run.tests[0].clauses[0].points = {calloc(1)};
  for (const size_t i : {size_t{1}, size_t{2}}) one.points[i].result.verdict = Verdict::Pass;
  EXPECT_THAT(compare(one, all), ElementsAre(is(ChangeKind::Worse, "3 of 3 are crash, were 1", true),
                                             is(ChangeKind::Worse, "at 3 points", false)));
  EXPECT_THAT(compare(all, one), IsEmpty());
}

// A waiver of the later run stops no gate, and makes nothing better either.
TEST(Compare, WhatIsWaivedIsNeitherBetterNorWorse) {
  Recorded waived = recorded(Verdict::Waived, {calloc(1)});
  waived.run.tests[0].clauses[0].waived = "crash";
  waived.points[0].result.verdict = Verdict::Crash;  // as it was seen
  for (const Verdict old : {Verdict::Pass, Verdict::Crash}) {
    const std::vector<Change> changes = compare(recorded(old, {calloc(1)}), waived);
    EXPECT_FALSE(changes.empty());
    for (const Change& change : changes) {
      EXPECT_EQ(change.kind, ChangeKind::Waived) << change.what;
      EXPECT_FALSE(change.regression) << change.what;
    }
  }
}

TEST(Compare, OrdinalsMayShiftInASweep) {
  const Recorded before = recorded(Verdict::Pass, {calloc(1), calloc(2), calloc(3)});
  EXPECT_THAT(compare(before, recorded(Verdict::Pass, {calloc(4), calloc(5), calloc(6)})), IsEmpty());
  EXPECT_THAT(compare(before, recorded(Verdict::Pass, {calloc(4), calloc(5)})),
              ElementsAre(is(ChangeKind::Vanished, "rdmacm!rdma_create_id", false)));
}

TEST(Compare, APointElsewhereIsAnother) {
  const Recorded before = recorded(Verdict::Pass, {calloc(1)});
  Recorded after = before;
  after.points[0].result.at = "librdmacm!rdma_listen";
  EXPECT_THAT(compare(before, after), ElementsAre(is(ChangeKind::Vanished, "rdma_create_id", false),
                                                  is(ChangeKind::Appeared, "rdma_listen", false)));
}

TEST(Compare, ALibraryMayBeAFileOfAnotherName) {
  const Recorded before = recorded(Verdict::Pass, {calloc(1)});
  Recorded after = before;
  after.points[0].result.at = "librdmacm_new!rdma_create_id";
  EXPECT_THAT(compare(before, after), IsEmpty());
  after.points[0].result.role = "ibverbs";
  EXPECT_THAT(compare(before, after),
              ElementsAre(is(ChangeKind::Vanished, "in rdmacm!rdma_create_id", false),
                          is(ChangeKind::Appeared, "in ibverbs!rdma_create_id", false)));
}

TEST(Compare, NamesTheTestsThatDidNotRun) {
  Recorded before = recorded(Verdict::Pass, {});
  Recorded after = before;
  EXPECT_THAT(tests_not_concluded(before.run, after.run), IsEmpty());
  after.run.tests[0].id = "Sweep.Other";
  EXPECT_THAT(tests_not_concluded(before.run, after.run), ElementsAre("Sweep.AllocationsBelow/Cold"));
}

}  // namespace
}  // namespace conformance
