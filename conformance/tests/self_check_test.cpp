// SPDX-License-Identifier: BSD-3-Clause
//
// The commands that judge the suite by listeners of which is known what they do. What they find must be seen
// to fail where it should.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "conformance/tests/tool.h"

namespace {

using namespace conformance::testing_tool;
using testing::HasSubstr;

constexpr const char* kDefect = "inval-when-create-id-fails";

Ran check(const Folder& folder, std::vector<std::string> more) {
  std::vector<std::string> all = {tool(), "self-check", "--provider",
                                  "mock", "--report",   folder.path() / "report"};
  all.insert(all.end(), more.begin(), more.end());
  return run(all);
}

TEST(SelfCheck, NoticesADefectAndSaysByWhichClauses) {
  const Folder folder;
  const Ran ran = check(folder, {"--defects-only", "--defect", kDefect});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("1 of 1 defects noticed on mock"));
  const auto document = read_json(folder.path() / "report/self-check.json");
  EXPECT_EQ(document.at("score").at("noticed"), 1);
  EXPECT_EQ(document.at("defects").at(0).at("broken").at(0), "LISTEN-PROVIDER-2");
}

// A listener that is right, sold as one with a defect.
TEST(SelfCheck, FailsWhereADefectSurvives) {
  const Folder folder;
  const Ran ran = check(folder, {"--defects-only", "--defect", kDefect, "--listener", reference()});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(std::string("survives: ") + kDefect));
}

// One defect, sold as another.
TEST(SelfCheck, FailsWhereOtherClausesBreakThanTheTableSays) {
  const Folder folder;
  const Ran ran = run({tool(), "self-check", "--provider", "mock", "--defects-only", "--defect", kDefect,
                       "--listener", toy(), "--report", folder.path() / "report"},
                      {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("LISTEN-PROVIDER-2 was not"));
  EXPECT_THAT(ran.output, HasSubstr("LISTEN-LEAK-2 was, unexpectedly"));
}

TEST(SelfCheck, FailsWhereTheReferenceIsAccused) {
  const Folder folder;
  const Ran ran = run({tool(), "self-check", "--provider", "mock", "--defect", kDefect, "--listener", toy(),
                       "--report", folder.path() / "report"},
                      {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("reference: accused of"));
}

TEST(SelfCheck, KnowsItsDefects) {
  const Folder folder;
  const Ran ran = check(folder, {"--defects-only", "--defect", "nosuch"});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("no defect 'nosuch'"));
}

TEST(SelfCheck, RefusesAReportFolderThatCannotBe) {
  const Folder folder;
  std::ofstream(folder.path() / "report") << "in the way\n";
  const Ran ran = check(folder, {"--defects-only", "--defect", kDefect});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("name another with --report DIR"));
}

// A verdict is not what a broken trial gives; why it broke is told.
TEST(SelfCheck, SaysWhyATrialCameToNoVerdict) {
  const Folder folder;
  const Ran ran = check(folder, {"--defects-only", "--defect", kDefect, "--listener", "/etc/passwd"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("no verdict: the run ended with 2: rpma-conformance: "));
  EXPECT_THAT(ran.output, HasSubstr("--librpma FILE"));
}

TEST(FalseAlarms, AreNoneWithTheReference) {
  const Folder folder;
  // Enough for runs in one, two and three shards.
  const Ran ran = run(
      {tool(), "false-alarms", "--provider", "mock", "--runs", "9", "--report", folder.path() / "report"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("false alarms: 0 in 9 runs (0.00 %)"));
  EXPECT_EQ(read_json(folder.path() / "report/false-alarms.json").at("with_an_alarm"), 0);
}

TEST(FalseAlarms, AreRunsWithoutAReportToo) {
  const Folder folder;
  const Ran ran = run({tool(), "false-alarms", "--provider", "mock", "--runs", "1", "--librpma",
                       "/etc/passwd", "--report", folder.path() / "report"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("exit code 2, broken: rpma-conformance: "));
  EXPECT_THAT(ran.output, HasSubstr(" tests ran"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "report/run-1-1/log"));
}

TEST(FalseAlarms, AreCountedAndTheirReportsKept) {
  const Folder folder;
  const Ran ran = run({tool(), "false-alarms", "--provider", "mock", "--runs", "2", "--librpma", toy(),
                       "--report", folder.path() / "report"},
                      {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("ALARM: run 2 (--seed 2 --jobs 2): exit code 1, fail: LISTEN-"));
  EXPECT_THAT(ran.output, HasSubstr("false alarms: 2 in 2 runs (100.00 %)"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "report/run-2-1/report.json"));
}

}  // namespace
