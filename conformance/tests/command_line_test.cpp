// SPDX-License-Identifier: BSD-3-Clause
//
// The tool's command line: bad input gives one line that names it and the right exit code, never a
// pass. What is common to all commands: suggestions, formats, colours, completion.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <ostream>
#include <set>
#include <sstream>

#include "conformance/tests/tool.h"

namespace {

using namespace conformance::testing_tool;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

std::ptrdiff_t lines_in(const std::string& text) {
  return std::ranges::count(text, '\n');
}

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
    {"ForeignAddress", {"--addr", "198.51.100.9"}, 2, "198.51.100.9"},
    {"NoAddressAtAll", {"--addr", "nonsense"}, 2, "nonsense"},
    {"MockHasNoSuchDevice", {"--device", "mlx5_0"}, 2, "--device"},
    {"HwWithoutDevice", {"--provider", "hw"}, 2, "--device"},
    {"HwWithUnknownDevice", {"--provider", "hw", "--device", "nosuch0"}, 2, "nosuch0"},
    {"RxeWithUnknownDevice", {"--provider", "rxe", "--device", "nosuch0"}, 2, "nosuch0"},
    {"LibrpmaMissing", {"--librpma", "/nonexistent/librpma.so"}, 2, "/nonexistent/librpma.so"},
    {"LibrpmaIsAnotherLibrary", {"--librpma", "/lib/x86_64-linux-gnu/libc.so.6"}, 2, "libc.so.6"},
    {"LibrpmaIsNoLibrary", {"--librpma", "/etc/passwd"}, 2, "/etc/passwd"},
    {"LibrpmaIsAFolder", {"--librpma", "/etc"}, 2, "/etc"},
    {"RdmaCoreMissing", {"--rdma-core", "/nonexistent"}, 2, "--rdma-core"},
    {"FilterSelectsNothing", {"--filter", "NoSuch*"}, 3, "NoSuch*"},
    {"FilterHasAnUnknownTest", {"--filter", "Listen.Null*:Listen.ListenSuceeds"}, 2, "Listen.ListenSucceeds"},
    {"FilterLeavesOutNothing", {"--filter", "Listen.Null*-Listen.NullPeer*:Case.*"}, 2, "Case.*"},
    {"SubjectIsUnknown", {"--judge", "iut,nosuch"}, 2, "'nosuch'"},
    {"SubjectIsStackAndMore", {"--judge", "stack,iut"}, 2, "'stack'"},
    {"SubjectIsOurselves", {"--judge", "main"}, 2, "'main'"},
    {"SubjectIsEmpty", {"--judge", ","}, 2, "--judge"},
    {"KernelWithoutMachine", {"--kernel", "/nonexistent.deb"}, 2, "--kernel"},
    {"MachineAndKernel", {"--provider", "rxe", "--machine", "/tmp", "--kernel", "/x.deb"}, 2, "--machine"},
    {"JobsOutOfRange", {"--jobs", "0"}, 2, "--jobs"},
    {"ShardBeyondTheLast", {"--shard", "3/2"}, 2, "3/2"},
    {"ShardZero", {"--shard", "0/2"}, 2, "0/2"},
    {"ShardIsAWord", {"--shard", "first"}, 2, "first"},
    {"ShardWithoutTests", {"--shard", "2/2", "--filter", "Listen.ListenSucceeds"}, 3, "2/2"},
    {"TimeoutOutOfRange", {"--timeout", "1"}, 2, "--timeout"},
    {"SeedBelowZero", {"--seed", "-1"}, 2, "'-1'"},
    {"SeedTooLarge", {"--seed", "18446744073709551616"}, 2, "'18446744073709551616'"},
    {"SeedInOctal", {"--seed", "010"}, 2, "'010'"},
    {"BaselineMissing",
     {"--filter", "Listen.ListenSucceeds", "--baseline", "/nonexistent.json"},
     2,
     "/nonexistent.json"},
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
        EXPECT_THAT(ran.output, StartsWith("rpma-conformance: " + name + " ")) << command.front();
        EXPECT_EQ(lines_in(ran.output), 1) << ran.output;
      }
    }
  }
  const Ran ran = run({tool(), "verify", ""});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.output, StartsWith("rpma-conformance: BUNDLE "));
}

TEST(CommandLine, WhatIsMissingIsNamedAsInTheHelp) {
  for (const auto& [command, name] : {std::pair{"diff", "OLD"}, {"merge", "SHARD"}, {"explain", "WHAT"}}) {
    const Ran ran = run({tool(), command});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.output, HasSubstr(name));
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
      EXPECT_THAT(ran.output, HasSubstr(file));
    }
}

TEST(CommandLine, WithoutCommandIsUsage) {
  EXPECT_EQ(run({tool()}).exit_code, 2);
}

TEST(CommandLine, HelpAndVersionSucceed) {
  EXPECT_EQ(run({tool(), "--help"}).exit_code, 0);
  EXPECT_EQ(run({tool(), "run", "--help"}).exit_code, 0);
  const Ran version = run({tool(), "--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.output, testing::ContainsRegex("^rpma-conformance [0-9]+\\.[0-9]+\\.[0-9]+\n"));
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
    const Ran ran = run({tool(), "doctor", "--format", "json", "--provider", provider});
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    EXPECT_EQ(nlohmann::json::parse(ran.output).at("can_run").at(provider), true);
    EXPECT_EQ(run({tool(), "doctor", "--provider", provider}).exit_code, 0);
  }
}

TEST(Doctor, NamesThePackageOfWhatIsMissing) {
  const Ran ran = run({tool(), "doctor", "--format=json"}, {"PATH=/nonexistent"});
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  const auto document = nlohmann::json::parse(ran.output);
  EXPECT_EQ(document.at("can_run").at("rxe"), false);
  const auto& needs = document.at("needs");
  const auto qemu = std::ranges::find_if(
      needs, [](const nlohmann::json& need) { return need.at("what") == "qemu-system-x86_64"; });
  ASSERT_NE(qemu, needs.end());
  EXPECT_EQ(qemu->at("present"), false);
  EXPECT_THAT(qemu->at("hint").get<std::string>(), HasSubstr("qemu-system-x86"));
}

TEST(List, JsonNamesEveryTestWithItsClauses) {
  const auto document = nlohmann::json::parse(run({tool(), "list", "--format", "json"}).output);
  EXPECT_GT(document.at("tests").size(), 60U);
  for (const auto& test : document.at("tests")) {
    EXPECT_FALSE(test.at("clauses").empty()) << test.dump();
    EXPECT_FALSE(test.at("providers").empty()) << test.dump();
  }
}

TEST(List, ClausesAreThoseOfTheProvider) {
  const auto number_of_tests = [](const std::string& clause, std::vector<std::string> more) {
    std::vector<std::string> words = {tool(), "list", "--clauses", "--format", "json"};
    words.insert(words.end(), more.begin(), more.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    const auto document = nlohmann::json::parse(ran.output);
    for (const auto& row : document.at("clauses"))
      if (row.at("id") == clause) return row.at("tests").size();
    return size_t{0};
  };
  // The kernel's own clause needs a kernel; the mock leaves others with fewer tests.
  EXPECT_EQ(number_of_tests("STACK-KERNEL-1", {"--provider", "mock"}), 0U);
  EXPECT_GT(number_of_tests("STACK-KERNEL-1", {"--provider", "rxe"}), 0U);
  EXPECT_LT(number_of_tests("LISTEN-RET-1", {"--provider", "mock"}), number_of_tests("LISTEN-RET-1", {}));
}

TEST(List, RefusesWhatWouldHaveNoEffect) {
  const std::vector<std::vector<std::string>> rows = {
      {"--clauses", "--check"}, {"--clauses", "--freeze", "listen/2"}, {"--report", "report"}};
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
TEST(CommandLine, OutputThatCannotBeWrittenIsReportedInOneLine) {
  const Folder folder;
  const std::string report = folder.path() / "report";
  const std::string run_one =
      "run --provider mock --filter Listen.ListenSucceeds:Listen.Null* --report " + report;
  const std::string two_reports = fmt::format("diff {0} {0}", report);
  for (const std::string& command :
       std::vector<std::string>{run_one, "list", "list --provider hw --format json", "explain LISTEN-RET-1",
                                two_reports, "--help"}) {
    const Ran ran = run({"sh", "-c", "exec $0 $1 >/dev/full", tool(), command});
    EXPECT_EQ(ran.exit_code, 2) << command;
    EXPECT_THAT(ran.output, StartsWith("rpma-conformance: ")) << command;
    EXPECT_EQ(lines_in(ran.output), 1) << command << ran.output;
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

TEST(Report, OfAnEarlierRunStaysWhereNothingRuns) {
  const Folder folder;
  ASSERT_EQ(run_mock(folder, {"--filter", "Listen.ListenSucceeds"}).exit_code, 0);
  const auto earlier = read_json(folder.path() / "report/report.json");
  ASSERT_EQ(run_mock(folder, {"--librpma", "/etc/passwd"}).exit_code, 2);
  EXPECT_EQ(read_json(folder.path() / "report/report.json"), earlier);
}

TEST(Baseline, WantsExactlyTheKnownFindings) {
  const Folder folder;
  const auto write = [&folder](const nlohmann::json& findings) {
    std::ofstream(folder.path() / "baseline.json") << nlohmann::json{
        {"schema", "rpma-conformance-baseline/1"},
        {"stack", "toy"},
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

struct Mistyped {
  std::vector<std::string> words;
  int exit_code;
  const char* meant;
};

TEST(Suggestion, IsTheClosestName) {
  const Folder folder;
  const std::string report = folder.path() / "report";
  const Mistyped rows[] = {
      {{"rnu"}, 2, "run"},
      {{"self-chek"}, 2, "self-check"},
      {{"run", "--flter", "x"}, 2, "--filter"},
      {{"bundle", "report", "--outptu", "x"}, 2, "--output"},
      {{"list", "--fromat=json"}, 2, "--format"},
      {{"list", "--provider", "mokc"}, 2, "mock"},
      {{"list", "--format", "jsno"}, 2, "json"},
      {{"explain", "LISTEN-RTE-1"}, 2, "LISTEN-RET-1"},
      {{"explain", "listen.listensuceeds"}, 2, "Listen.ListenSucceeds"},
      {{"explain", "Listen.FailingListenGivesEProvider/EADDRINUES"},
       2,
       "Listen.FailingListenGivesEProvider/EADDRINUSE"},
      {{"run", "--provider", "mock", "--report", report, "--filter", "Listen.ListenSuceeds"},
       3,
       "Listen.ListenSucceeds"},
      {{"run", "--provider", "mock", "--report", report, "--device", "moc0"}, 2, "mock0"},
      {{"run", "--provider", "mock", "--report", report, "--judge", "rdmacn"}, 2, "rdmacm"},
      {{"replay", "--provider", "mock", "rpma_ep_listen/cold/nul"}, 2, "rpma_ep_listen/cold/null"},
      {{"self-check", "--provider", "mock", "--report", report, "--defect", "inval-when-creat-id-fails"},
       2,
       "inval-when-create-id-fails"},
  };
  for (const Mistyped& row : rows) {
    std::vector<std::string> words = {tool()};
    words.insert(words.end(), row.words.begin(), row.words.end());
    const Ran ran = run(words);
    EXPECT_EQ(ran.exit_code, row.exit_code) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(std::string(" ") + row.meant + "?"));
    EXPECT_EQ(lines_in(ran.output), 1) << ran.output;
  }
}

TEST(Suggestion, IsNoneWhereNoNameIsClose) {
  for (const char* word : {"frobnicate", "--frobnicate", "x"})
    EXPECT_THAT(run({tool(), word}).output, Not(HasSubstr("?"))) << word;
  EXPECT_THAT(run({tool(), "explain", "COFFEE-1"}).output, Not(HasSubstr("?")));
}

// Standard output alone.
Ran document_of(const std::vector<std::string>& words) {
  std::vector<std::string> command = {"sh", "-c", "exec \"$@\" 2>/dev/null", "sh", tool()};
  command.insert(command.end(), words.begin(), words.end());
  return run(command);
}

TEST(Format, JsonIsADocumentAloneOnStandardOutput) {
  const Folder folder;
  const std::string report = folder.path() / "report";
  const std::string bundle = folder.path() / "bundle.tar.zst";
  const std::string point = "rpma_ep_listen/cold/null";
  struct Row {
    std::vector<std::string> words;
    const char* field;
  };
  const Row rows[] = {
      {{"run", "--provider", "mock", "--filter", "Listen.Null*", "--report", report}, "tests"},
      {{"list"}, "tests"},
      {{"list", "--clauses", "--report", report}, "clauses"},
      {{"explain", "LISTEN-INVAL-1", "--report", report}, "seen"},
      {{"explain", "Listen.NullPeerGivesEInval", "--report", report}, "seen"},
      {{"explain", point}, "promised"},
      {{"doctor", "--provider", "mock"}, "can_run"},
      {{"diff", report, report}, "changes"},
      {{"replay", "--provider", "mock", point}, "timeline"},
      {{"bundle", report, "-o", bundle}, "sha256"},
      {{"self-check", "--provider", "mock", "--defects-only", "--defect", "inval-when-create-id-fails",
        "--report", report},
       "score"},
      {{"false-alarms", "--provider", "mock", "--runs", "1", "--report", folder.path() / "alarms"}, "rate"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> words = row.words;
    words.insert(words.end(), {"--format", "json"});
    const Ran ran = document_of(words);
    EXPECT_EQ(ran.exit_code, 0) << row.words.front() << ran.output;
    const auto document = nlohmann::json::parse(ran.output, nullptr, false);
    ASSERT_TRUE(document.is_object()) << row.words.front() << ran.output.substr(0, 2000);
    EXPECT_TRUE(document.contains("schema") && document.contains(row.field)) << row.words.front();
  }
  // Nothing is certified without a key.
  const Ran verified = document_of({"--format", "json", "verify", bundle});
  EXPECT_EQ(nlohmann::json::parse(verified.output).at("exit_code"), verified.exit_code);
  EXPECT_EQ(nlohmann::json::parse(verified.output).at("genuine"), true);
}

TEST(CommonOptions, AreTakenBeforeAndAfterTheCommand) {
  EXPECT_EQ(run({tool(), "--format", "json", "list"}).output, run({tool(), "list", "--format=json"}).output);
  EXPECT_EQ(run({tool(), "list", "-q", "-v"}).exit_code, 2);
}

TEST(Color, IsForATerminalUnlessAskedFor) {
  const Folder folder;
  const auto has_colors = [&folder](const std::string& command, const std::vector<std::string>& environment) {
    const Ran ran = run({"sh", "-c", command, tool(),
                         fmt::format("{} run --provider mock --filter Listen.NullPeerGivesEInval --report {}",
                                     tool(), (folder.path() / "report").string())},
                        environment);
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    return ran.output.find("\033[32mpass\033[0m") != std::string::npos;
  };
  // script(1) gives it a terminal.
  const std::string terminal = "script -qec \"$1\" /dev/null </dev/null";
  EXPECT_TRUE(has_colors(terminal, {"TERM=xterm", "NO_COLOR="}));
  EXPECT_FALSE(has_colors(terminal, {"TERM=xterm", "NO_COLOR=1"}));
  EXPECT_FALSE(has_colors("$1", {"TERM=xterm", "NO_COLOR="}));
  EXPECT_TRUE(has_colors("$1 --color always", {"NO_COLOR=1"}));
  EXPECT_FALSE(has_colors("script -qec \"$1 --color never\" /dev/null </dev/null", {"TERM=xterm"}));
}

TEST(Quiet, PrintsFindingsAndTheVerdictAlone) {
  const Folder folder;
  const std::vector<std::string> command = {tool(),
                                            "run",
                                            "--provider",
                                            "mock",
                                            "-q",
                                            "--librpma",
                                            toy(),
                                            "--filter",
                                            "Listen.FailingListenGivesEProvider/EADDRINUSE",
                                            "--report",
                                            folder.path() / "report"};
  const Ran passes = run(command);
  EXPECT_EQ(passes.exit_code, 0);
  EXPECT_LE(lines_in(passes.output), 3) << passes.output;
  const Ran fails = run(command, {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(fails.exit_code, 1);
  EXPECT_THAT(fails.output, HasSubstr("LISTEN-LEAK-2"));
  EXPECT_THAT(fails.output, Not(HasSubstr("LISTEN-PROVIDER-5")));
}

TEST(Verbose, PrintsThePointsOfEachTest) {
  const Folder folder;
  EXPECT_THAT(run_mock(folder, {"--filter", "Listen.NullPeerGivesEInval", "-v"}).output,
              HasSubstr("pass        rpma_ep_listen(peer=NULL)/cold/null\n"));
}

std::vector<std::string> completions_of(const std::vector<std::string>& words) {
  std::vector<std::string> command = {tool(), "complete"};
  command.insert(command.end(), words.begin(), words.end());
  const Ran ran = run(command);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  std::istringstream lines(ran.output);
  std::vector<std::string> names;
  for (std::string line; std::getline(lines, line);) names.push_back(line);
  return names;
}

TEST(Completion, OffersWhatMayComeNext) {
  struct Row {
    std::vector<std::string> words;
    const char* offered;
  };
  const Row rows[] = {
      {{"ru"}, "run"},
      {{"--color", "al"}, "always"},
      {{"-q", "ver"}, "verify"},
      {{"run", "--prov"}, "--provider"},
      {{"run", "--provider", ""}, "rxe"},
      {{"run", "--provider=m"}, "--provider=mock"},
      {{"run", "--format", ""}, "json"},
      {{"run", "--judge", "iut,rdm"}, "iut,rdmacm"},
      {{"run", "--profile", ""}, "listen/1"},
      {{"run", "-q", "--filter", "Listen.ListenS"}, "Listen.ListenSucceeds"},
      {{"run", "--filter", "Case.*:Listen.ListenS"}, "Case.*:Listen.ListenSucceeds"},
      {{"explain", "LISTEN-RET"}, "LISTEN-RET-1"},
      {{"explain", "--report", "r", "Listen.NullP"}, "Listen.NullPeerGivesEInval"},
      {{"replay", "rpma_ep_listen/c"}, "rpma_ep_listen/cold/null"},
      {{"self-check", "--defect", "inval-"}, "inval-when-create-id-fails"},
      {{"run", "--report", "--"}, nullptr},  // a file's name
      {{"run", "--librpma", ""}, nullptr},
      {{"diff", ""}, nullptr},
      {{"nosuch", ""}, nullptr},
      {{"run", "--in-m"}, nullptr},  // hidden
      {{"comp"}, nullptr},
      {{"pag"}, nullptr},
  };
  for (const Row& row : rows) {
    if (row.offered != nullptr)
      EXPECT_THAT(completions_of(row.words), Contains(row.offered)) << row.words.back();
    else
      EXPECT_THAT(completions_of(row.words), testing::IsEmpty()) << row.words.back();
  }
}

// Bash breaks words at '=' and ':', and replaces what follows the last one.
TEST(Completion, OfBashReplacesItsOwnWord) {
  const auto reply = [](const std::string& line, const std::string& words) {
    const std::string script = fmt::format(
        "source {}/rpma-conformance; COMP_LINE=\"$0 {}\"; COMP_POINT=${{#COMP_LINE}}; COMP_WORDS=(\"$0\" "
        "{}); "
        "COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _rpma_conformance; echo \"${{COMPREPLY[*]}}\"",
        RPMACONF_COMPLETION, line, words);
    return run({"bash", "-c", script, tool()}).output;
  };
  EXPECT_EQ(reply("ru", "ru"), "run\n");
  EXPECT_EQ(reply("run --provider=m", "run --provider = m"), "mock\n");
  EXPECT_EQ(reply("run --provider=", "run --provider ="), "mock rxe hw\n");
  EXPECT_EQ(reply("run --filter A:Listen.ListenSu", "run --filter A : Listen.ListenSu"),
            "Listen.ListenSucceeds\n");
  EXPECT_EQ(reply("doctor ", "doctor ''"), "\n");
}

}  // namespace
