// SPDX-License-Identifier: BSD-3-Clause
//
// A verdict comes from a finished run alone: where the library under test ends the process, the exit code is
// 2 and an older report stays. And what the tool inherits from its parent changes no verdict.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "conformance/tests/tool.h"

namespace {

using namespace conformance::testing_tool;

constexpr const char* kPoint = "rpma_ep_listen/primed/wild";

std::string content(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// `before`: words in front of the command.
Ran run_toy(const Folder& folder, const std::string& mistake, const std::vector<std::string>& before = {},
            const std::string& filter = "Listen.FailingListenGivesEProvider/EADDRINUSE") {
  std::vector<std::string> command = before;
  command.insert(command.end(),
                 {tool(), "run", "--provider", "mock", "--librpma", toy(), "--filter=" + filter, "--report",
                  folder.path() / "report", "--timeout", "10", "-q"});
  return run(command, {"RPMACONF_TOY=" + mistake});
}

class LibraryThatEndsTheProcess : public testing::TestWithParam<const char*> {};

TEST_P(LibraryThatEndsTheProcess, WhileItIsLoadedGivesNoVerdict) {
  const Folder folder;
  ASSERT_EQ(run_toy(folder, "none").exit_code, 0);
  const std::string older = content(folder.path() / "report/report.json");
  const Ran ran = run_toy(folder, GetParam());
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
  EXPECT_EQ(content(folder.path() / "report/report.json"), older);
}

INSTANTIATE_TEST_SUITE_P(Mistakes, LibraryThatEndsTheProcess,
                         testing::Values("exit-on-load", "abort-on-load", "sleep-on-load"),
                         [](const auto& row) { return in_test_name(row.param); });

TEST(LibraryThatEndsTheProcess, InAReplayGivesNoVerdict) {
  const Ran ran = run({tool(), "replay", "--provider", "mock", "--librpma", toy(), kPoint},
                      {"RPMACONF_TOY=exit-on-load"});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
}

TEST(LibraryThatEndsTheProcess, LaterGivesNoVerdict) {
  const Folder folder;
  const Ran ran = run_toy(folder, "runner-killed");
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "report/report.json"));
}

TEST(LibraryThatEndsTheProcess, WhenItIsUnloadedKeepsTheVerdict) {
  const Folder folder;
  const Ran ran = run_toy(folder, "exit-on-unload");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

// Damaged, and built with a sanitizer: neither can be loaded.
TEST(LibraryThatCannotBeLoaded, GivesOneLine) {
  const Folder folder;
  const std::filesystem::path half = folder.path() / "half.so";
  const std::string whole = content(toy());
  std::ofstream(half, std::ios::binary) << whole.substr(0, 8192);
  for (const std::string& file : {half.string(), std::string(RPMACONF_SANITIZED_LIBRARY)}) {
    const Ran ran = run({tool(), "run", "--provider", "mock", "--librpma", file, "--report", folder.path()},
                        {"ASAN_OPTIONS=exitcode=0"});
    EXPECT_EQ(ran.exit_code, 2) << ran.output;
    EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
  }
}

// ---- what is inherited ----

TEST(Inherited, IgnoredSigchldLosesNoExitStatus) {
  const Folder folder;
  const auto reason = [&folder](const std::vector<std::string>& before) {
    const Ran ran = run_toy(folder, "deep-crash-on-listen", before);
    EXPECT_EQ(ran.exit_code, 1) << ran.output;
    return read_json(folder.path() / "report/report.json").at("findings").at(0).at("reason").dump();
  };
  EXPECT_EQ(reason({"env", "--ignore-signal"}), reason({}));
}

TEST(Inherited, SigchldThatTheLibraryIgnoresLosesNoExitStatus) {
  const Folder folder;
  const Ran ran = run_toy(folder, "children-ignored");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

TEST(Inherited, AlarmOfTheParentEndsNoRun) {
  const Folder folder;
  const Ran ran =
      run_toy(folder, "none", {"perl", "-e", "alarm 1; exec @ARGV"}, "Listen.*:Sweep.*:Threads.*");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

TEST(Inherited, SoftLimitIsRaisedAndTooLowAHardOneGivesNoVerdict) {
  const Folder folder;
  EXPECT_EQ(run_toy(folder, "none", {"sh", "-c", "ulimit -Sn 9; exec \"$@\"", "sh"}).exit_code, 0);
  for (const char* limit : {"ulimit -n 8; exec \"$@\"", "ulimit -n 9; exec \"$@\""})
    EXPECT_EQ(run_toy(folder, "none", {"sh", "-c", limit, "sh"}).exit_code, 2) << limit;
}

TEST(Inherited, ClosedStandardStreamsDoNoHarm) {
  const Folder folder;
  const std::vector<std::string> closed = {"sh", "-c", "exec \"$@\" <&- >&- 2>&-", "sh"};
  EXPECT_EQ(run_toy(folder, "none", closed).exit_code, 0);
  // What is printed before the end must not be read as the worker's report.
  std::vector<std::string> command = closed;
  command.insert(command.end(), {tool(), "run", "--provider", "mock", "--librpma", toy(), "--jobs", "1", "-v",
                                 "--filter=Listen.Null*:Listen.FailingListenGivesEProvider/*", "--report",
                                 folder.path() / "report"});
  EXPECT_EQ(run(command, {"RPMACONF_TOY=runner-killed"}).exit_code, 2);
}

TEST(Inherited, DeletedWorkingDirectoryIsAUsageError) {
  const Folder folder;
  const std::string gone = folder.path() / "gone";
  const Ran ran = run({"sh", "-c", "mkdir " + gone + "; cd " + gone + "; rmdir " + gone + "; exec \"$@\"",
                       "sh", tool(), "run", "--provider", "mock", "--librpma", "lib.so"});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
}

}  // namespace
