// SPDX-License-Identifier: BSD-3-Clause
//
// The commands that judge the suite by listeners with known behaviour. They must fail where they should.
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
  const auto document = read_json(folder.path() / "report/self-check.json");
  EXPECT_EQ(document.at("score").at("noticed"), 1);
  EXPECT_EQ(document.at("defects").at(0).at("broken").at(0), "LISTEN-PROVIDER-2");
}

// A correct listener instead of the one with the defect.
TEST(SelfCheck, FailsWhereADefectSurvives) {
  const Folder folder;
  const Ran ran = check(folder, {"--defects-only", "--defect", kDefect, "--listener", reference()});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const auto document = read_json(folder.path() / "report/self-check.json");
  EXPECT_EQ(document.at("score").at("noticed"), 0);
  EXPECT_EQ(document.at("defects").at(0).at("noticed"), false);
}

// A listener with another defect than the table says.
TEST(SelfCheck, FailsWhereOtherClausesBreakThanTheTableSays) {
  const Folder folder;
  const Ran ran = run({tool(), "self-check", "--provider", "mock", "--defects-only", "--defect", kDefect,
                       "--listener", toy(), "--report", folder.path() / "report"},
                      {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const auto row = read_json(folder.path() / "report/self-check.json").at("defects").at(0);
  EXPECT_EQ(row.at("noticed"), false);
  EXPECT_THAT(row.at("broken"), testing::Contains("LISTEN-LEAK-2"));
  EXPECT_THAT(row.at("why").get<std::string>(), HasSubstr("LISTEN-PROVIDER-2"));
}

TEST(SelfCheck, FailsWhereTheReferenceIsAccused) {
  const Folder folder;
  const Ran ran = run({tool(), "self-check", "--provider", "mock", "--defect", kDefect, "--listener", toy(),
                       "--report", folder.path() / "report"},
                      {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_EQ(read_json(folder.path() / "report/self-check.json").at("reference").at("passed"), false);
}

TEST(SelfCheck, KnowsItsDefects) {
  const Folder folder;
  const Ran ran = check(folder, {"--defects-only", "--defect", "nosuch"});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("'nosuch'"));
}

TEST(SelfCheck, RefusesAReportFolderThatCannotBeMade) {
  const Folder folder;
  std::ofstream(folder.path() / "report") << "in the way\n";
  const Ran ran = check(folder, {"--defects-only", "--defect", kDefect});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("--report"));
}

// A broken trial gives no verdict; its reason is reported.
TEST(SelfCheck, ReportsWhyATrialHasNoVerdict) {
  const Folder folder;
  const Ran ran = check(folder, {"--defects-only", "--defect", kDefect, "--listener", "/etc/passwd"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const auto row = read_json(folder.path() / "report/self-check.json").at("defects").at(0);
  EXPECT_EQ(row.at("noticed"), false);
  EXPECT_THAT(row.at("why").get<std::string>(), HasSubstr("/etc/passwd"));
}

TEST(FalseAlarms, AreNoneWithTheReference) {
  const Folder folder;
  // In one, two and three shards.
  const Ran ran = run(
      {tool(), "false-alarms", "--provider", "mock", "--runs", "3", "--report", folder.path() / "report"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(read_json(folder.path() / "report/false-alarms.json").at("with_an_alarm"), 0);
}

TEST(FalseAlarms, AreRunsWithoutAReportToo) {
  const Folder folder;
  const Ran ran = run({tool(), "false-alarms", "--provider", "mock", "--runs", "1", "--librpma",
                       "/etc/passwd", "--report", folder.path() / "report"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const auto document = read_json(folder.path() / "report/false-alarms.json");
  EXPECT_EQ(document.at("with_an_alarm"), 1);
  EXPECT_EQ(document.at("alarms").size(), 2U) << "no report, and no test that ran";
  EXPECT_THAT(document.at("alarms").at(0).get<std::string>(), HasSubstr("/etc/passwd"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "report/run-1-1/log"));
}

TEST(FalseAlarms, AreCountedAndTheirReportsKept) {
  const Folder folder;
  const Ran ran = run({tool(), "false-alarms", "--provider", "mock", "--runs", "2", "--librpma", toy(),
                       "--report", folder.path() / "report"},
                      {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const auto document = read_json(folder.path() / "report/false-alarms.json");
  EXPECT_EQ(document.at("with_an_alarm"), 2);
  EXPECT_EQ(document.at("rate"), 1.0);
  EXPECT_THAT(document.at("alarms").at(1).get<std::string>(), HasSubstr("--seed 2 --jobs 2"));
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "report/run-2-1/report.json"));
}

}  // namespace
