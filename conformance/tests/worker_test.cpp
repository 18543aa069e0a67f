// SPDX-License-Identifier: BSD-3-Clause
//
// A verdict comes from a finished run alone: where the library under test ends the process, the exit code is
// 2 and an older report stays. And what the tool inherits from its parent changes no verdict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

#include "conformance/tests/tool.h"

namespace {

using namespace conformance::testing_tool;
using testing::HasSubstr;
using testing::Not;

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

// ---- builds of a library that its maintainers use ----

// Its counters go to the folder.
Ran run_unusual(const Folder& folder) {
  return run({tool(), "run", "--provider", "mock", "--librpma", RPMACONF_UNUSUAL_LIBRARY,
              "--filter=Listen.Null*", "--report", folder.path() / "report"},
             {"GCOV_PREFIX=" + folder.path().string()});
}

// Its initial-exec TLS is larger than what the loader keeps free for libraries that are loaded late.
TEST(UnusualLibrary, WithMuchThreadLocalStorageIsTested) {
  const Folder folder;
  const Ran ran = run_unusual(folder);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

TEST(UnusualLibrary, WithCoverageCountsTheCallsOfTheExperiments) {
  const Folder folder;
  const Ran ran = run_unusual(folder);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  const std::filesystem::path object = RPMACONF_UNUSUAL_OBJECT;
  const std::filesystem::path counters = folder.path() / object.relative_path();
  std::filesystem::copy(object.string() + ".gcno", counters.parent_path());
  const Ran gcov = run({"gcov", "--no-output", "--function-summaries", counters.string() + ".gcda"});
  // Only experiments call it, and each is a process of its own.
  const size_t function = gcov.output.find("Function 'rpma_ep_listen'\nLines executed:");
  ASSERT_NE(function, std::string::npos) << gcov.output;
  const std::string summary = gcov.output.substr(function, gcov.output.find("\n\n", function) - function);
  EXPECT_THAT(summary, Not(HasSubstr("executed:0.00%")));
}

// ---- a process group that was stopped ----

// The process and all that it has started.
std::vector<int> tree_of(int root) {
  std::vector<int> tree = {root};
  for (size_t i = 0; i < tree.size(); ++i) {
    const std::filesystem::path tasks = "/proc/" + std::to_string(tree[i]) + "/task";
    std::error_code error;
    for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
      std::ifstream children(task.path() / "children");
      for (int child = 0; children >> child;) tree.push_back(child);
    }
  }
  return tree;
}

TEST(Stopped, TimeDoesNotCount) {
  const Folder folder;
  Started started({tool(), "run", "--provider", "mock", "--librpma", reference(), "--filter=Listen.*",
                   "--timeout", "10", "--report", folder.path() / "report"});
  // Until an experiment runs: the tool, its worker, a child.
  while (tree_of(started.pid()).size() < 3 && started.runs()) usleep(1000);
  const std::vector<int> stopped = tree_of(started.pid());
  for (const int pid : stopped) kill(pid, SIGSTOP);
  EXPECT_GE(stopped.size(), 3U);
  sleep(11);
  for (const int pid : stopped) kill(pid, SIGCONT);
  const Ran ran = started.wait();
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
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
