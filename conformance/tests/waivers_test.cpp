// SPDX-License-Identifier: BSD-3-Clause
//
// Waivers: which are refused, what one covers, and that a waived finding is never a pass.
#include "conformance/report/waivers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "conformance/harness/library.h"
#include "conformance/report/debian_version.h"
#include "conformance/report/document.h"
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
  const Json document = {{"schema", kWaiversSchema}, {"waivers", Json::array({waiver})}};
  return parse_waivers(parse_document(document.dump(), kWaiversSchema), day);
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

// What the schema cannot say; schema_test.cpp has the rest.
TEST(Waivers, ThatAreTooBroadOrExpiredAreRefused) {
  const Json rows[] = {
      {{"reason", ""}},
      {{"owner", " \n"}},
      {{"reason", "\t"}},
      {{"link", "none"}},
      {{"link", "https://"}},
      {{"link", "https:///path"}},
      {{"expires", "2026-02-30"}},
      {{"expires", "2026-06-14"}},  // the day before
      {{"expires", "2027-06-16"}},  // a year and a day later
      {{"module", "stack"}},
      {{"module", ""}},
      {{"clause", "LISTEN-*"}},
      {{"point", "*"}},
      {{"clause", "LISTEN-NONE-1"}},
      {{"from", "44.0-3"}},  // later than "to"
      {{"from", "0"}, {"to", "99999999"}},
      {{"from", "44.0-1"}, {"to", "44.1-1"}},
      {{"from", "1:44.0-1"}, {"to", "2:44.0-1"}},
  };
  EXPECT_EQ(parse(good_waiver()).size(), 1U);
  for (const Json& change : rows) {
    Json waiver = good_waiver();
    waiver.update(change);
    try {
      parse(waiver);
      ADD_FAILURE() << "accepted: " << change;
    } catch (const DocumentError& error) {
      EXPECT_THAT(error.what(), HasSubstr("/waivers/0")) << change;
    }
  }
}

TEST(Waivers, OfABuildIdAreNotForTheKernel) {
  Json waiver = good_waiver();
  for (const char* version : {"package", "from", "to"}) waiver.erase(version);
  waiver["build_id"] = "bb";
  EXPECT_EQ(parse(waiver).size(), 1U);
  RunResult run = run_with(crash_of("A", {"p/1"}), "1:99-1");
  apply_waivers(parse(waiver), run);
  EXPECT_EQ(run.waivers[0].state, "used");
  waiver["module"] = "kernel";
  EXPECT_THROW(parse(waiver), DocumentError);
}

TEST(Waivers, AWaivedFindingIsNotAPass) {
  RunResult run = run_with(crash_of("A", {"p/1", "p/2"}));
  apply_waivers(parse(good_waiver()), run);
  ASSERT_EQ(run.waivers.size(), 1U);
  EXPECT_EQ(run.waivers[0].state, "used");
  EXPECT_EQ(run.tests[0].verdict, Verdict::Waived);
  EXPECT_EQ(run.tests[0].clauses[0].waived, "crash");
  EXPECT_THAT(run.tests[0].reason, HasSubstr("until 2026-12-31 by the librdmacm maintainers"));
  EXPECT_TRUE(findings_of(run).empty());
  EXPECT_EQ(exit_code_of(run), 0);
  EXPECT_EQ(verdict_on(run, "stack").verdict(), Verdict::Waived);
  EXPECT_EQ(verdict_on(run, "iut").verdict(), Verdict::Pass);
  EXPECT_EQ(by_clause(run).at("LISTEN-RET-2").verdict, Verdict::Waived);
  EXPECT_TRUE(incomplete_because(run).empty());
  EXPECT_EQ(uncertifiable_because(run).size(), 1U);
  run.subject = "iut";
  EXPECT_TRUE(uncertifiable_because(run).empty());
  EXPECT_EQ(to_json(from_json(to_json(run))), to_json(run));
}

// Neither of two that cover the same is stale.
TEST(Waivers, TwoOfOneFindingAreBothUsed) {
  RunResult run = run_with(crash_of("A", {"p/1"}));
  Json other = good_waiver();
  other["owner"] = "another maintainer";
  apply_waivers({parse(good_waiver())[0], parse(other)[0]}, run);
  EXPECT_EQ(run.waivers[0].state, "used");
  EXPECT_EQ(run.waivers[1].state, "used");
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
    EXPECT_NE(run.waivers[0].state, "used") << change;
  }
}

TEST(Waivers, SayWhatBecameOfThem) {
  TestResult passing = crash_of("A", {});
  passing.clauses[0] = {"LISTEN-RET-2", Verdict::Pass, "", "", "", {}, {}};
  passing.verdict = Verdict::Pass;
  passing.reason.clear();
  RunResult run = run_with(passing);
  apply_waivers(parse(good_waiver()), run);
  EXPECT_EQ(run.waivers[0].state, "stale");
  run = run_with(passing);
  run.in_profile = 2;
  apply_waivers(parse(good_waiver()), run);
  EXPECT_EQ(run.waivers[0].state, "not tested");
  run = run_with(passing, "45.0-1");
  apply_waivers(parse(good_waiver()), run);
  EXPECT_EQ(run.waivers[0].state, "other version");
}

TEST(DebianVersion, IsComparedByDpkg) {
  constexpr const char* kAscending[] = {"1.0~rc1", "1.0", "1.0-1", "1.0-1+b1", "1.0-10", "1:0.1"};
  for (size_t i = 0; i + 2 < std::size(kAscending); ++i) {
    EXPECT_TRUE(is_between(kAscending[i], kAscending[i + 1], kAscending[i + 2])) << kAscending[i + 1];
    EXPECT_FALSE(is_between(kAscending[i], kAscending[i + 2], kAscending[i + 1])) << kAscending[i + 1];
    EXPECT_FALSE(is_between(kAscending[i + 1], kAscending[i], kAscending[i + 2])) << kAscending[i + 1];
  }
  EXPECT_TRUE(is_between("1.0", "0:1.00", "1.0"));
}

// A stack's versions come from reports of other people.
TEST(DebianVersion, WhatIsNoneIsNotBetween) {
  for (const char* version : {"", "--help", "-1", "x", "1 le 1", "1;ls", "1\n"})
    EXPECT_FALSE(is_between("0", version, "9")) << version;
}

TEST(DebianVersion, WithoutDpkgThereIsOneLine) {
  const char* const former = getenv("PATH");
  ASSERT_NE(former, nullptr);
  const std::string path = former;
  setenv("PATH", "/nonexistent", 1);
  EXPECT_TRUE(is_between("44.0-1", "44.0-1", "44.0-1")) << "equal texts need no dpkg";
  EXPECT_THROW(is_between("44.0-1", "44.0-2", "44.0-2"), SetupError);
  setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace conformance
