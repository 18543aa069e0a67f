// SPDX-License-Identifier: BSD-3-Clause
//
// Waivers: which are refused, what one covers, and that a waived finding never becomes a pass.
#include "conformance/report/waivers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conformance/report/debian_version.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

constexpr const char* kDay = "2026-06-15";

Json good_waiver() {
  return {{"clause", "LISTEN-RET-2"}, {"module", "rdmacm"},      {"package", "librdmacm1"},
          {"from", "44.0-1"},         {"to", "44.0-2"},          {"owner", "the librdmacm maintainers"},
          {"reason", "known"},        {"link", "https://x.org"}, {"expires", "2026-12-31"}};
}

std::vector<Waiver> parse(const Json& waiver, const char* day = kDay) {
  return parse_waivers({{"schema", kWaiversSchema}, {"waivers", Json::array({waiver})}}, day);
}

TestResult crash_of(const std::string& id, const std::vector<std::string>& points) {
  TestResult test;
  test.id = id;
  test.verdict = Verdict::Crash;
  test.reason = "LISTEN-RET-2: SIGSEGV";
  test.clauses.push_back({"LISTEN-RET-2", Verdict::Crash, "SIGSEGV", "rdmacm", "a < b", {}, points});
  test.clauses.push_back({"LISTEN-RET-1", Verdict::Pass, "", "", "", {}, {}});
  return test;
}

RunResult run_with(const TestResult& test, const std::string& version = "44.0-2") {
  RunResult run;
  run.provider = "rxe";
  run.filter = "*";
  run.suite_commit = "0123456789abcdef0123456789abcdef01234567";
  run.tests = {test};
  run.selected = run.in_profile = 1;
  run.stack.kernel = "6.1.0 #1";
  run.stack.modules = {{"iut", "/lib/librpma.so.0", "librpma0 1.2.0-1", "aa", "00"},
                       {"rdmacm", "/lib/librdmacm.so.1", "librdmacm1 " + version, "bb", "11"}};
  return run;
}

TEST(Waivers, WhatIsNotAnsweredForIsRefused) {
  struct Row {
    Json change;
    const char* says;
  };
  const Row rows[] = {
      {{{"owner", ""}}, "owner"},
      {{{"reason", ""}}, "reason"},
      {{{"link", "none"}}, "link"},
      {{{"expires", "soon"}}, "YYYY-MM-DD"},
      {{{"expires", "2026-02-30"}}, "YYYY-MM-DD"},
      {{{"expires", "2026-06-14"}}, "expired on 2026-06-14"},
      {{{"expires", "2027-06-30"}}, "too broad: it ends on 2027-06-30"},
      {{{"module", "stack"}}, "module"},
      {{{"module", ""}}, "module"},
      {{{"clause", "LISTEN-*"}}, "too broad: a pattern"},
      {{{"clause", "LISTEN-NONE-1"}}, "no clause"},
      {{{"clause", ""}}, "needs a clause, a point"},
      {{{"to", ""}}, "too broad: it needs package, from and to"},
      {{{"build_id", "bb"}}, "too broad: it needs package, from and to"},
      {{{"from", "45"}}, "end before they begin"},
      {{{"severity", "low"}}, "unknown field 'severity'"},
      {{{"owner", " \n"}}, "needs an 'owner'"},
      {{{"reason", "\t"}}, "needs a 'reason'"},
      {{{"link", "https://"}}, "needs a 'link'"},
      {{{"link", "https:///path"}}, "needs a 'link'"},
      {{{"expires", "2027-06-16"}}, "too broad: it ends on 2027-06-16"},
      {{{"from", "0"}, {"to", "99999999"}}, "more than one release"},
      {{{"from", "44.0-1"}, {"to", "44.1-1"}}, "more than one release"},
      {{{"from", "1:44.0-1"}, {"to", "2:44.0-1"}}, "more than one release"},
      {{{"build_id", "bb"}, {"to", ""}}, "a build_id instead of all three"},
      {{{"module", "kernel"}, {"build_id", "bb"}, {"package", ""}, {"from", ""}, {"to", ""}}, "no build_id"},
      {{{"owner", 1}}, "'owner' is no text"},
  };
  EXPECT_EQ(parse(good_waiver()).size(), 1U);
  for (const Row& row : rows) {
    Json waiver = good_waiver();
    waiver.update(row.change);
    try {
      parse(waiver);
      ADD_FAILURE() << "accepted: " << row.change;
    } catch (const std::runtime_error& error) {
      EXPECT_THAT(error.what(), HasSubstr(row.says)) << row.change;
      EXPECT_THAT(error.what(), HasSubstr("waiver 1")) << row.change;
    }
  }
  EXPECT_THROW(parse_waivers(Json::array(), kDay), std::runtime_error);
}

TEST(Waivers, AWaivedFindingIsNoPass) {
  RunResult run = run_with(crash_of("A", {"p/1", "p/2"}));
  apply_waivers(parse(good_waiver()), run);
  ASSERT_EQ(run.waivers.size(), 1U);
  EXPECT_EQ(run.waivers[0].at("state"), "used");
  EXPECT_EQ(run.tests[0].verdict, Verdict::Waived);
  EXPECT_EQ(run.tests[0].clauses[0].waived, "crash");
  EXPECT_THAT(run.tests[0].reason, HasSubstr("until 2026-12-31 by the librdmacm maintainers"));
  EXPECT_TRUE(findings_of(run).empty());
  EXPECT_EQ(exit_code_of(run), 0);
  EXPECT_EQ(verdict_on(run, "stack").verdict(), Verdict::Waived);
  EXPECT_EQ(verdict_on(run, "iut").verdict(), Verdict::Pass);
  EXPECT_EQ(by_clause(run).at("LISTEN-RET-2").verdict, Verdict::Waived);
  EXPECT_TRUE(incomplete_because(run).empty());
  EXPECT_THAT(uncertifiable_because(run), testing::ElementsAre(HasSubstr("waived, which is no pass")));
  run.subject = "iut";
  EXPECT_TRUE(uncertifiable_because(run).empty());
  EXPECT_EQ(to_json(from_json(to_json(run))), to_json(run));
}

// Neither of two that cover the same is stale.
TEST(Waivers, TwoOfOneFindingAreBothUsed) {
  RunResult run = run_with(crash_of("A", {"p/1"}));
  Json other = good_waiver();
  other["owner"] = "somebody else";
  apply_waivers(parse_waivers({{"schema", kWaiversSchema}, {"waivers", {good_waiver(), other}}}, kDay), run);
  EXPECT_EQ(run.waivers[0].at("state"), "used");
  EXPECT_EQ(run.waivers[1].at("state"), "used");
}

TEST(Waivers, LastAYear) {
  Json waiver = good_waiver();
  waiver["expires"] = "2027-06-15";
  EXPECT_EQ(parse(waiver).size(), 1U);
  waiver["expires"] = "2029-03-01";  // of a leap year's last February day
  EXPECT_EQ(parse(waiver, "2028-02-29").size(), 1U);
}

TEST(Waivers, OnePointDoesNotWaiveTheOthers) {
  Json waiver = good_waiver();
  waiver["point"] = "p/1";
  RunResult run = run_with(crash_of("A", {"p/1", "p/2"}));
  apply_waivers(parse(waiver), run);
  EXPECT_EQ(run.tests[0].verdict, Verdict::Crash);
  ASSERT_EQ(findings_of(run).size(), 1U);
  EXPECT_THAT(findings_of(run)[0].points, testing::ElementsAre("p/2"));
  EXPECT_EQ(exit_code_of(run), 1);
}

TEST(Waivers, CoverTheirModuleClauseAndVersionsAlone) {
  for (const Json& change : {Json{{"module", "ibverbs"}}, Json{{"clause", "LISTEN-LEAK-1"}},
                             Json{{"to", "44.0-1"}}, Json{{"package", "librdmacm2"}}}) {
    Json waiver = good_waiver();
    waiver.update(change);
    RunResult run = run_with(crash_of("A", {"p/1"}));
    apply_waivers(parse(waiver), run);
    EXPECT_EQ(run.tests[0].verdict, Verdict::Crash) << change;
    EXPECT_NE(run.waivers[0].at("state"), "used") << change;
  }
}

TEST(Waivers, SayWhatBecameOfThem) {
  TestResult passing = crash_of("A", {});
  passing.clauses[0] = {"LISTEN-RET-2", Verdict::Pass, "", "", "", {}, {}};
  passing.verdict = Verdict::Pass;
  passing.reason.clear();
  RunResult run = run_with(passing);
  apply_waivers(parse(good_waiver()), run);
  EXPECT_EQ(run.waivers[0].at("state"), "stale");
  run = run_with(passing);
  run.in_profile = 2;
  apply_waivers(parse(good_waiver()), run);
  EXPECT_EQ(run.waivers[0].at("state"), "not tested");
  run = run_with(passing, "45.0-1");
  apply_waivers(parse(good_waiver()), run);
  EXPECT_EQ(run.waivers[0].at("state"), "other version");
}

TEST(DebianVersion, OrdersAsDpkgDoes) {
  // Each later than the one before it.
  constexpr const char* kAscending[] = {"1.0~rc1", "1.0~rc1+b1", "1.0",    "1.0-0.1",  "1.0-1", "1.0-1+b1",
                                        "1.0-1.1", "1.0-2",      "1.0-10", "1.0+dfsg", "1.1",   "1.1a",
                                        "1.09",    "1.10",       "44.0-2", "44.0-10",  "1:0.1", "2:0"};
  for (size_t i = 0; i + 1 < std::size(kAscending); ++i) {
    EXPECT_EQ(compare_versions(kAscending[i], kAscending[i + 1]), std::strong_ordering::less)
        << kAscending[i] << " " << kAscending[i + 1];
    EXPECT_EQ(compare_versions(kAscending[i + 1], kAscending[i]), std::strong_ordering::greater);
  }
  EXPECT_EQ(compare_versions("1.0", "1.00"), std::strong_ordering::equal);
  EXPECT_EQ(compare_versions("0:1.0", "1.0"), std::strong_ordering::equal);
}

}  // namespace
}  // namespace conformance
