// SPDX-License-Identifier: BSD-3-Clause
//
// The tool's command line: bad input gives one clear line with the remedy and the right exit code, never a
// pass.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <ostream>
#include <set>

#include "conformance/tests/tool.h"

namespace {

using namespace conformance::testing_tool;
using testing::HasSubstr;

Ran run_mock(const Folder& folder, std::vector<std::string> more) {
  std::vector<std::string> all = {tool(), "run", "--report", folder.path() / "report"};
  if (std::ranges::find(more, "--provider") == more.end()) all.insert(all.end(), {"--provider", "mock"});
  all.insert(all.end(), more.begin(), more.end());
  return run(all);
}

struct BadInput {
  const char* name;
  std::vector<std::string> arguments;
  int exit_code;
  const char* says;
};

// GoogleTest shows this, and CTest makes it a part of the name: no addresses.
void PrintTo(const BadInput& input, std::ostream* out) {
  *out << input.says;
}

const BadInput kBadInputs[] = {
    {"UnknownProvider", {"--provider", "iwarp"}, 2, "--provider"},
    {"UnknownOption", {"--frobnicate"}, 2, "--frobnicate"},
    {"ForeignAddress", {"--addr", "198.51.100.9"}, 2, "is no address of"},
    {"NoAddressAtAll", {"--addr", "nonsense"}, 2, "is no address of"},
    {"MockHasNoSuchDevice", {"--device", "mlx5_0"}, 2, "leave --device out"},
    {"HwWithoutDevice", {"--provider", "hw"}, 2, "needs --device"},
    {"HwWithUnknownDevice", {"--provider", "hw", "--device", "nosuch0"}, 2, "no RDMA device nosuch0"},
    {"RxeWithUnknownDevice", {"--provider", "rxe", "--device", "nosuch0"}, 2, "no RDMA device nosuch0"},
    {"LibrpmaMissing", {"--librpma", "/nonexistent/librpma.so"}, 2, "--librpma FILE"},
    {"LibrpmaIsAnotherLibrary", {"--librpma", "/lib/x86_64-linux-gnu/libc.so.6"}, 2, "is not a librpma"},
    {"LibrpmaIsNoLibrary", {"--librpma", "/etc/passwd"}, 2, "invalid ELF header; name a librpma with"},
    {"LibrpmaIsAFolder", {"--librpma", "/etc"}, 2, "/etc is no regular file"},
    {"RdmaCoreMissing", {"--rdma-core", "/nonexistent"}, 2, "--rdma-core"},
    {"FilterSelectsNothing", {"--filter", "NoSuch*"}, 3, "selects no test"},
    {"SubjectIsNobody", {"--judge", "iut,nosuch"}, 2, "'nosuch' is no module"},
    {"SubjectIsStackAndMore", {"--judge", "stack,iut"}, 2, "'stack' is no module"},
    {"SubjectIsOurselves", {"--judge", "main"}, 2, "'main' is no module"},
    {"SubjectIsEmpty", {"--judge", ","}, 2, "--judge"},
    {"KernelWithoutMachine", {"--kernel", "/nonexistent.deb"}, 2, "--kernel and --machine"},
    {"MachineAndKernel",
     {"--provider", "rxe", "--machine", "/tmp", "--kernel", "/x.deb"},
     2,
     "leave one out"},
    {"JobsOutOfRange", {"--jobs", "0"}, 2, "--jobs"},
    {"ShardBeyondTheLast", {"--shard", "3/2"}, 2, "is no shard"},
    {"ShardZero", {"--shard", "0/2"}, 2, "is no shard"},
    {"ShardIsAWord", {"--shard", "first"}, 2, "is no shard"},
    {"ShardWithoutTests", {"--shard", "2/2", "--filter", "Listen.ListenSucceeds"}, 3, "selects no test"},
    {"TimeoutOutOfRange", {"--timeout", "1"}, 2, "--timeout"},
    {"SeedBelowZero", {"--seed", "-1"}, 2, "'-1' is no seed"},
    {"SeedTooLarge", {"--seed", "18446744073709551616"}, 2, "'18446744073709551616' is no seed"},
    {"SeedInOctal", {"--seed", "010"}, 2, "'010' is no seed"},
    {"BaselineMissing",
     {"--filter", "Listen.ListenSucceeds", "--baseline", "/nonexistent.json"},
     2,
     "baseline"},
};

class Bad : public testing::TestWithParam<BadInput> {};

TEST_P(Bad, GivesOneLineAndTheRightExitCode) {
  const Folder folder;
  const Ran ran = run_mock(folder, GetParam().arguments);
  EXPECT_EQ(ran.exit_code, GetParam().exit_code) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(GetParam().says));
  const std::string last = ran.output.substr(ran.output.rfind("rpma-conformance: "));
  EXPECT_EQ(std::count(last.begin(), last.end(), '\n'), 1) << ran.output;
}

INSTANTIATE_TEST_SUITE_P(Input, Bad, testing::ValuesIn(kBadInputs),
                         [](const auto& row) { return std::string(row.param.name); });

// What a script gives whose variable is not set: taken for "not given", a verdict would be about something
// else.
TEST(EmptyValue, IsRefusedByEachOptionOfEachCommand) {
  const std::vector<std::pair<std::vector<std::string>, std::vector<std::string>>> options = {
      {{"run", "--provider", "mock"},
       {"--provider", "--device", "--addr", "--librpma", "--rdma-core", "--judge", "--timeout", "--kernel",
        "--machine", "--filter", "--jobs", "--seed", "--shard", "--report", "--profile", "--waivers",
        "--baseline", "--resume"}},
      {{"replay", "--provider", "mock", "rpma_ep_listen/cold/null"}, {"--librpma", "--under"}},
      {{"self-check", "--provider", "mock"}, {"--defect", "--report"}},
      {{"false-alarms", "--provider", "mock"}, {"--librpma", "--runs"}},
      {{"bundle", "report"}, {"--output", "--key"}},
      {{"verify", "file"}, {"--public-key", "--profile"}},
      {{"merge", "one", "two"}, {"--report", "--baseline"}},
      {{"baseline", "report"}, {"--output"}},
      {{"explain", "LISTEN-RET-1"}, {"--report"}},
      {{"list", "--clauses"}, {"--report", "--provider"}},
      {{"doctor"}, {"--provider"}},
  };
  for (const auto& [command, names] : options) {
    for (const std::string& name : names) {
      std::vector<std::string> apart = {tool()};
      apart.insert(apart.end(), command.begin(), command.end());
      std::vector<std::string> together = apart;
      apart.insert(apart.end(), {name, ""});
      // A word behind it must not be taken for the value.
      together.insert(together.end(), {name + "=", "--help"});
      for (const std::vector<std::string>& words : {apart, together}) {
        const Ran ran = run(words);
        EXPECT_EQ(ran.exit_code, 2) << command.front() << " " << ran.output;
        EXPECT_EQ(ran.output, "rpma-conformance: " + name + " needs a value\n") << command.front();
      }
    }
  }
  const Ran ran = run({tool(), "verify", ""});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.output, "rpma-conformance: BUNDLE needs a value\n");
}

TEST(CommandLine, WhatIsMissingIsNamedAsInTheHelp) {
  for (const auto& [command, name] : {std::pair{"diff", "OLD"}, {"merge", "SHARD"}, {"explain", "WHAT"}}) {
    const Ran ran = run({tool(), command});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.output, HasSubstr(std::string(name) + " is required"));
    EXPECT_THAT(run({tool(), command, "--help"}).output, HasSubstr(std::string("[OPTIONS] ") + name));
  }
}

// Loading it would wait for a writer that never comes.
TEST(CommandLine, LibrpmaThatIsAPipeIsRefused) {
  const Folder folder;
  const std::string pipe = folder.path() / "librpma.so";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  std::filesystem::create_symlink(pipe, folder.path() / "link.so");
  for (const std::string file : {"librpma.so", "link.so"})
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"run", "--report", folder.path() / "report"},
          {"replay", "rpma_ep_listen/cold/null"}}) {
      std::vector<std::string> words = {"timeout", "20", tool()};
      words.insert(words.end(), command.begin(), command.end());
      words.insert(words.end(), {"--provider", "mock", "--librpma", folder.path() / file});
      const Ran ran = run(words);
      EXPECT_EQ(ran.exit_code, 2) << ran.output;
      EXPECT_THAT(ran.output, HasSubstr(file + " is no regular file"));
    }
}

TEST(CommandLine, WithoutCommandIsUsage) {
  EXPECT_EQ(run({tool()}).exit_code, 2);
}

TEST(CommandLine, HelpAndVersionSucceed) {
  EXPECT_EQ(run({tool(), "--help"}).exit_code, 0);
  EXPECT_EQ(run({tool(), "run", "--help"}).exit_code, 0);
  EXPECT_THAT(run({tool(), "--version"}).output, HasSubstr("rpma-conformance"));
}

TEST(CommandLine, UnwritableReportFolderIsRefusedBeforeAnythingRuns) {
  const Folder folder;
  std::ofstream(folder.path() / "file") << "in the way\n";
  const Ran ran = run({tool(), "run", "--provider", "mock", "--report", folder.path() / "file/report"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.output, HasSubstr("--report"));
}

TEST(CommandLine, MissingKernelPackageIsUsage) {
  const Folder folder;
  const Ran ran = run({tool(), "run", "--provider", "rxe", "--kernel", "/nonexistent.deb", "--report",
                       folder.path() / "report"});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("/nonexistent.deb"));
}

// What the environment asks of GoogleTest would silently change what a verdict is about.
TEST(CommandLine, GoogleTestsEnvironmentChangesNothing) {
  const Folder folder;
  const std::vector<std::string> command = {
      tool(), "run", "--provider", "mock", "--filter", "Listen.Null*", "--report", folder.path() / "report"};
  const Ran ran = run(command, {"GTEST_FILTER=-*", "GTEST_TOTAL_SHARDS=15", "GTEST_SHARD_INDEX=1",
                                "GTEST_REPEAT=3", "GTEST_OUTPUT=xml"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(read_json(folder.path() / "report/report.json").at("counts").at("ran"), 15);
}

TEST(CommandLine, ShardsAreTheWholeAndEachTestOnce) {
  const Folder folder;
  std::multiset<std::string> ran;
  for (const std::string shard : {"1/3", "2/3", "3/3"}) {
    ASSERT_EQ(run_mock(folder, {"--filter", "Listen.Null*", "--shard", shard}).exit_code, 0);
    const auto report = read_json(folder.path() / "report/report.json");
    EXPECT_EQ(report.at("shard"), shard);
    EXPECT_EQ(report.at("certifiable").at("value"), false);
    for (const auto& test : report.at("tests")) ran.insert(test.at("id").get<std::string>());
  }
  ASSERT_EQ(run_mock(folder, {"--filter", "Listen.Null*"}).exit_code, 0);
  std::multiset<std::string> whole;
  const auto report = read_json(folder.path() / "report/report.json");
  for (const auto& test : report.at("tests")) whole.insert(test.at("id").get<std::string>());
  EXPECT_EQ(ran, whole);
}

// ci/test has installed what both need.
TEST(Doctor, SaysWhatThisHostCanRun) {
  for (const std::string provider : {"mock", "rxe"}) {
    const Ran ran = run({tool(), "doctor", "--provider", provider});
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("can run:    rpma-conformance run --provider " + provider));
  }
}

TEST(Doctor, NamesTheRemedyForWhatIsMissing) {
  const Ran ran = run({tool(), "doctor"}, {"PATH=/nonexistent"});
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("missing  qemu-system-x86_64"));
  EXPECT_THAT(ran.output, HasSubstr("apt-get install qemu-system-x86"));
}

TEST(List, JsonNamesEveryTestWithItsClauses) {
  const auto document = nlohmann::json::parse(run({tool(), "list", "--json"}).output);
  EXPECT_GT(document.at("tests").size(), 60U);
  for (const auto& test : document.at("tests")) {
    EXPECT_FALSE(test.at("clauses").empty()) << test.dump();
    EXPECT_FALSE(test.at("providers").empty()) << test.dump();
  }
}

TEST(List, ClausesAreThoseOfTheProvider) {
  const auto number_of_tests = [](const std::string& clause, std::vector<std::string> more) {
    std::vector<std::string> words = {tool(), "list", "--clauses"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    const size_t row = ran.output.find(clause);
    return row == std::string::npos ? 0 : std::stoi(ran.output.substr(row + clause.size()));
  };
  // The kernel's own clause needs a kernel; the mock leaves others with fewer tests.
  EXPECT_EQ(number_of_tests("STACK-KERNEL-1", {"--provider", "mock"}), 0);
  EXPECT_GT(number_of_tests("STACK-KERNEL-1", {"--provider", "rxe"}), 0);
  EXPECT_LT(number_of_tests("LISTEN-RET-1", {"--provider", "mock"}), number_of_tests("LISTEN-RET-1", {}));
}

TEST(List, RefusesWhatWouldHaveNoEffect) {
  const std::vector<std::vector<std::string>> rows = {{"--clauses", "--json"},
                                                      {"--clauses", "--check"},
                                                      {"--clauses", "--freeze", "listen/2"},
                                                      {"--report", "report"}};
  for (const std::vector<std::string>& row : rows) {
    std::vector<std::string> words = {tool(), "list"};
    words.insert(words.end(), row.begin(), row.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code, 2) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("--clauses"));
    EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
  }
}

TEST(CommandLine, WholeSuitePassesOnTheOtherAddress) {
  const Folder folder;
  EXPECT_EQ(run_mock(folder, {"--addr", "2001:db8::1"}).exit_code, 0);
}

// Both where the output is more than is kept before it is written, and where it is less.
TEST(CommandLine, OutputThatNobodyGetsIsToldInOneLine) {
  const Folder folder;
  const std::string report = folder.path() / "report";
  const std::string run_one =
      "run --provider mock --filter Listen.ListenSucceeds:Listen.Null* --report " + report;
  const std::string two_reports = fmt::format("diff {0} {0}", report);
  for (const std::string& command : std::vector<std::string>{run_one, "list", "list --provider hw --json",
                                                             "explain LISTEN-RET-1", two_reports, "--help"}) {
    const Ran ran = run({"sh", "-c", "exec $0 $1 >/dev/full", tool(), command});
    EXPECT_EQ(ran.exit_code, 2) << command;
    EXPECT_EQ(ran.output,
              "rpma-conformance: the output could not be written; make room, or send it elsewhere\n")
        << command;
  }
  EXPECT_EQ(read_json(report + "/report.json").at("exit_code"), 0);
}

TEST(Judge, KnowsTheIutByItsFileName) {
  const Folder folder;
  std::filesystem::copy_file(toy(), folder.path() / "librpma-of-mine.so");
  const auto exit_code_for = [&folder](const std::string& subject) {
    return run({"env", "RPMACONF_TOY=leak-block", tool(), "run", "--provider", "mock", "--librpma",
                folder.path() / "librpma-of-mine.so", "--judge", subject, "--filter",
                "Listen.FailingListenGivesEProvider/EADDRINUSE", "--report", folder.path() / "report"})
        .exit_code;
  };
  EXPECT_EQ(exit_code_for("librpma-of-mine.so"), 1);
  EXPECT_EQ(exit_code_for("iut"), 1);
  EXPECT_EQ(exit_code_for("librdmacm.so.1"), 0);
}

TEST(Report, HoldsWhatAReaderNeeds) {
  const Folder folder;
  const Ran ran = run_mock(folder, {"--filter", "Listen.ListenSucceeds"});
  ASSERT_EQ(ran.exit_code, 0) << ran.output;
  const auto report = read_json(folder.path() / "report/report.json");
  EXPECT_EQ(report.at("schema"), "rpma-conformance/1");
  EXPECT_EQ(report.at("exit_code"), 0);
  EXPECT_EQ(report.at("complete").at("value"), false);
  EXPECT_EQ(report.at("certifiable").at("value"), false);
  const auto& iut = report.at("stack").at("modules").at(0);
  EXPECT_EQ(iut.at("role"), "iut");
  EXPECT_EQ(iut.at("sha256").get<std::string>().size(), 64U);
  EXPECT_FALSE(iut.at("build_id").get<std::string>().empty());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "report/junit.xml"));
}

TEST(Report, OfAnEarlierRunDoesNotPassForThisOne) {
  const Folder folder;
  ASSERT_EQ(run_mock(folder, {"--filter", "Listen.ListenSucceeds"}).exit_code, 0);
  ASSERT_EQ(run_mock(folder, {"--librpma", "/etc/passwd"}).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "report/report.json"));
}

TEST(Baseline, WantsExactlyTheKnownFindings) {
  const Folder folder;
  const auto write = [&folder](const nlohmann::json& findings) {
    std::ofstream(folder.path() / "baseline.json") << nlohmann::json{
        {"schema", "rpma-conformance-baseline/1"},
        {"providers", {"mock"}},
        {"findings", findings}}.dump();
  };
  const auto run_toy = [&folder](const std::string& mistake) {
    return run({tool(), "run", "--provider", "mock", "--librpma", toy(), "--filter",
                "Listen.FailingListenGivesEProvider/EADDRINUSE", "--report", folder.path() / "report",
                "--baseline", folder.path() / "baseline.json"},
               {"RPMACONF_TOY=" + mistake});
  };
  const nlohmann::json known = {{{"clause", "LISTEN-LEAK-2"},
                                 {"module", "iut"},
                                 {"verdict", "fail"},
                                 {"tests", {"Listen.FailingListenGivesEProvider/EADDRINUSE"}}}};
  write(known);
  EXPECT_EQ(run_toy("leak-block").exit_code, 0) << "exactly the known finding";
  EXPECT_EQ(run_toy("none").exit_code, 1) << "a known finding that is gone";
  EXPECT_EQ(run_toy("leak-descriptor").exit_code, 1) << "another finding";
  // Known findings excuse nothing but themselves.
  write({{{"clause", "LISTEN-RET-1"},
          {"module", "iut"},
          {"verdict", "fail"},
          {"tests", {"Listen.ListenSucceeds"}}}});
  EXPECT_EQ(run({"env", "RPMACONF_TOY=never-succeeds", tool(), "run", "--provider", "mock", "--librpma",
                 toy(), "--filter", "Listen.ListenSucceeds:Listen.FailingListen*", "--report",
                 folder.path() / "report", "--baseline", folder.path() / "baseline.json"})
                .exit_code,
            2)
      << "a known finding beside tests that broke";
  write(nlohmann::json::array());
  EXPECT_EQ(run_toy("leak-block").exit_code, 1) << "a new finding";
  EXPECT_EQ(run_toy("none").exit_code, 0) << "no finding";
}

}  // namespace
