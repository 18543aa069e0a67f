// SPDX-License-Identifier: BSD-3-Clause
//
// What is done with reports by the tool itself: shards put together, runs that go on, comparisons, baselines
// and waivers. On the mock, with the toy library where there must be a finding.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "conformance/tests/tool.h"

namespace conformance::testing_tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kFilter = "Listen.Null*:Listen.EachFailingAllocation*";

Ran run_to(const fs::path& report, std::vector<std::string> more = {},
           const std::vector<std::string>& environment = {}) {
  std::vector<std::string> command = {tool(), "run", "--provider", "mock", "--report", report};
  command.insert(command.end(), more.begin(), more.end());
  return run(command, environment);
}

// A report without what differs between two runs of one kind.
nlohmann::json comparable(const fs::path& report) {
  nlohmann::json document = read_json(report / "report.json");
  for (const char* key : {"started", "seconds", "jobs", "parts", "resumed", "timeout_seconds"})
    document.erase(key);
  document["counts"].erase("experiments");
  for (nlohmann::json& test : document["tests"]) {
    test.erase("seconds");
    test.erase("experiments");
  }
  return document;
}

std::vector<nlohmann::json> lines_of(const fs::path& file) {
  std::vector<nlohmann::json> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(nlohmann::json::parse(line));
    lines.back().erase("seconds");
  }
  return lines;
}

// Cuts a run's folder down to what it had after so many of its tests, in the middle of a line.
void interrupt_after(const fs::path& report, size_t tests) {
  std::vector<std::string> lines;
  std::ifstream stream(report / "results.jsonl");
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  stream.close();
  std::ofstream half(report / "results.jsonl", std::ios::trunc);
  for (size_t i = 0; i <= tests; ++i) half << lines.at(i) << '\n';  // the first is the header
  half << lines.at(tests + 1).substr(0, lines.at(tests + 1).size() / 2);
  half.close();
  for (const char* name : {"report.json", "report.html", "report.tap", "junit.xml"})
    fs::remove(report / name);
}

size_t names_in(const fs::path& folder, const std::string& with) {
  size_t number = 0;
  for (const auto& entry : fs::directory_iterator(folder))
    number += entry.path().string().find(with) == std::string::npos ? 0U : 1U;
  return number;
}

TEST(Merge, MakesTheReportOfARunThatWasNeverDivided) {
  const Folder folder;
  ASSERT_EQ(run_to(folder.path() / "whole", {"--filter", kFilter}).exit_code, 0);
  for (const char* shard : {"1/3", "2/3", "3/3"})
    ASSERT_EQ(
        run_to(folder.path() / std::string(1, shard[0]), {"--filter", kFilter, "--shard", shard}).exit_code,
        0);
  const Ran ran = run({tool(), "merge", folder.path() / "3", folder.path() / "1", folder.path() / "2",
                       "--report", folder.path() / "merged"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(comparable(folder.path() / "merged"), comparable(folder.path() / "whole"));
  EXPECT_EQ(lines_of(folder.path() / "merged/points.jsonl"), lines_of(folder.path() / "whole/points.jsonl"));
  EXPECT_EQ(read_json(folder.path() / "merged/report.json").at("parts").size(), 3U);
}

TEST(Merge, RefusesWhatIsNoWhole) {
  const Folder folder;
  const auto make = [&](const char* name, const std::vector<std::string>& options) {
    run_to(folder.path() / name, options);
    return (folder.path() / name).string();
  };
  const std::string first = make("first", {"--filter", kFilter, "--shard", "1/2"});
  const std::string second = make("second", {"--filter", kFilter, "--shard", "2/2"});
  const std::string seed = make("seed", {"--filter", kFilter, "--shard", "2/2", "--seed", "7"});
  const std::string other = make("other", {"--filter", kFilter, "--shard", "2/2", "--librpma", toy()});
  const std::string third = make("third", {"--filter", kFilter, "--shard", "3/3"});
  const std::string whole = make("whole", {"--filter", kFilter});
  interrupt_after(make("cut", {"--filter", kFilter, "--shard", "2/2"}), 2);
  struct Row {
    std::vector<std::string> shards;
    const char* says;
  };
  const Row rows[] = {
      {{first}, "2/2"},
      {{first, first}, "1/2"},
      {{first, second, second}, "2/2"},
      {{first, whole}, "whole"},
      {{first, third}, "shard"},
      {{first, seed}, "seed"},
      {{first, other}, "stack"},
      {{first, folder.path() / "cut"}, "cut"},
      {{first, folder.path() / "none"}, "none"},
  };
  for (const Row& row : rows) {
    std::vector<std::string> command = {tool(), "merge", "--report", folder.path() / "merged"};
    command.insert(command.end(), row.shards.begin(), row.shards.end());
    const Ran ran = run(command);
    EXPECT_EQ(ran.exit_code, 2) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(row.says));
    EXPECT_FALSE(fs::exists(folder.path() / "merged")) << row.says;
  }
}

TEST(Resume, EndsWithTheReportOfAnUndisturbedRun) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  ASSERT_EQ(run_to(folder.path() / "whole", {"--filter", kFilter}).exit_code, 0);
  ASSERT_EQ(run_to(report, {"--filter", kFilter}).exit_code, 0);
  interrupt_after(report, 5);
  const Ran unfinished = run({tool(), "diff", folder.path() / "whole", report});
  EXPECT_EQ(unfinished.exit_code, 2);
  EXPECT_THAT(unfinished.output, HasSubstr("--resume"));
  const Ran ran = run({tool(), "run", "--resume", report});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(comparable(report), comparable(folder.path() / "whole"));
  EXPECT_EQ(lines_of(report / "points.jsonl"), lines_of(folder.path() / "whole/points.jsonl"));
  EXPECT_EQ(read_json(report / "report.json").at("resumed"), 1);
}

TEST(Resume, GoesOnWithWhatItWasToldAlone) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  run_to(report, {"--filter", kFilter});
  interrupt_after(report, 5);
  const Ran other = run({tool(), "run", "--resume", report, "--seed", "3"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.output, HasSubstr("--seed"));
  const Ran nowhere = run({tool(), "run", "--resume", folder.path()});
  EXPECT_EQ(nowhere.exit_code, 2);
  EXPECT_THAT(nowhere.output, HasSubstr(folder.path().string()));
}

TEST(Resume, GoesOnFromAnyWorkingFolder) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  std::ofstream(folder.path() / "waivers.json")
      << nlohmann::json{{"schema", "rpma-conformance-waivers/1"}, {"waivers", nlohmann::json::array()}};
  std::ofstream(folder.path() / "baseline.json") << nlohmann::json{{"schema", "rpma-conformance-baseline/1"},
                                                                   {"stack", "any"},
                                                                   {"providers", {"mock"}},
                                                                   {"findings", nlohmann::json::array()}};
  const Ran begun = run({"env", "-C", folder.path(), tool(), "run", "--provider", "mock", "--report", report,
                         "--filter", kFilter, "--waivers", "waivers.json", "--baseline", "baseline.json"});
  ASSERT_EQ(begun.exit_code, 0) << begun.output;
  interrupt_after(report, 5);
  const Ran ran = run({"env", "-C", "/", tool(), "run", "--resume", report});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

// Otherwise, cutting a failure out of the journal would have it tried again.
TEST(Resume, DoesNotGoOnWithARunThatHasEnded) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  run_to(report, {"--filter", kFilter});
  const nlohmann::json ended = read_json(report / "report.json");
  interrupt_after(report, 5);
  std::ofstream(report / "report.json") << ended;
  const Ran ran = run({tool(), "run", "--resume", report});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(report.string()));
}

TEST(Resume, DoesNotGoOnWithAnotherLibrary) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  const fs::path library = folder.path() / "librpma.so";
  fs::copy_file(toy(), library);
  run_to(report, {"--filter", kFilter, "--librpma", library});
  interrupt_after(report, 5);
  fs::copy_file(reference(), library, fs::copy_options::overwrite_existing);
  const Ran ran = run({tool(), "run", "--resume", report});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(library.string()));
}

// The order of points does not depend on --jobs, nor on a hung experiment.
TEST(Points, ComeInOneOrder) {
  const Folder folder;
  const std::string sweep = "Sweep.MemoryRunsOut/*";
  const auto points_of = [&](const std::string& jobs, const std::string& filter) {
    const fs::path report = folder.path() / (jobs + (filter == sweep ? "alone" : ""));
    const Ran ran = run({tool(), "run", "--provider", "mock", "--librpma", toy(), "--timeout", "10", "--jobs",
                         jobs, "--filter", filter, "--report", report},
                        {"RPMACONF_TOY=sleep-on-listen"});
    EXPECT_EQ(ran.exit_code, filter == sweep ? 0 : 1) << ran.output;
    return lines_of(report / "points.jsonl");
  };
  const std::string behind_a_hang = "Listen.FailingListen*/EADDRINUSE*:" + sweep;
  std::vector<nlohmann::json> points = points_of("1", behind_a_hang);
  EXPECT_EQ(points, points_of("3", behind_a_hang));
  const auto hangs = [](const nlohmann::json& point) { return point.at("verdict") == "hang"; };
  EXPECT_GT(std::ranges::count_if(points, hangs), 1);
  std::erase_if(points, [](const nlohmann::json& point) {
    return !point.at("test").get<std::string>().starts_with("Sweep.");
  });
  EXPECT_FALSE(points.empty());
  EXPECT_EQ(points, points_of("3", sweep)) << "tried ahead, and in its turn";
}

// Its control is awaited while the pool has nothing else to do, and asks for more.
TEST(Points, OfOneSweepAloneAreThere) {
  const Folder folder;
  const Ran ran = run({tool(), "run", "--provider", "mock", "--filter", "Sweep.UnderTheDefaultLogger/Warm",
                       "--report", folder.path() / "report"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_GT(lines_of(folder.path() / "report/points.jsonl").size(), 10U);
}

// `timeout` sends the signal; the run that it ends gives its own exit code with --preserve-status.
TEST(Interrupted, KeepsWhatItHadAndSaysSo) {
  for (const char* signal : {"INT", "TERM", "HUP"}) {
    const Folder folder;
    const fs::path report = folder.path() / "report";
    const Ran ran = run({"timeout", "--preserve-status", "--foreground", "-s", signal, "0.7", tool(), "run",
                         "--provider", "mock", "--jobs", "1", "--report", report, "--complete"});
    EXPECT_EQ(ran.exit_code, 3) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr(std::string("SIG") + signal));
    EXPECT_THAT(ran.output, HasSubstr("run --resume " + report.string()));
    const nlohmann::json document = read_json(report / "report.json");
    EXPECT_EQ(document.at("interrupted"), std::string("SIG") + signal);
    EXPECT_EQ(document.at("complete").at("value"), false);
    EXPECT_EQ(document.at("findings").size(), 0U);
  }
}

// In rxe machines of their own: a CTest entry of its own, for what it takes.

constexpr const char* kInMachine = "Listen.FailingCreate*";

// How many tests of a run in a machine have ended; their results lie in the machine's share.
size_t ended_in_machine(const fs::path& report) {
  std::ifstream stream(report / "run.json");
  const nlohmann::json record = nlohmann::json::parse(stream, nullptr, false);
  if (record.is_discarded()) return 0;
  std::ifstream results(fs::path(record.at("inner_report").get<std::string>()) / "results.jsonl");
  size_t lines = 0;
  for (std::string line; std::getline(results, line);) ++lines;
  return lines > 0 ? lines - 1 : 0;  // the first is the header
}

// Runs and sends a signal to the tool alone, not to what it has started, once so many tests have ended.
Ran run_in_machine_until(size_t tests, int signal, const fs::path& report) {
  Started started({tool(), "run", "--provider", "rxe", "--filter", kInMachine, "--report", report});
  while (ended_in_machine(report) < tests && started.runs())
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  kill(started.pid(), signal);
  return started.wait();
}

// How often a kernel repeats itself is the one thing that may differ.
nlohmann::json comparable_but_for_repetitions(const fs::path& report) {
  nlohmann::json document = comparable(report);
  nlohmann::json& log = document["kernel_log"];
  log.erase(std::unique(log.begin(), log.end()), log.end());
  return document;
}

TEST(InMachine, AnEndedRunIsResumed) {
  const Folder folder;
  const fs::path whole = folder.path() / "whole";
  const Ran undisturbed =
      run({tool(), "run", "--provider", "rxe", "--filter", kInMachine, "--report", whole});
  ASSERT_EQ(undisturbed.exit_code, 0) << undisturbed.output;
  for (const int signal : {SIGINT, SIGKILL}) {
    const fs::path report = folder.path() / std::to_string(signal);
    const Ran ended = run_in_machine_until(3, signal, report);
    if (signal == SIGKILL) {
      EXPECT_EQ(ended.exit_code, 128 + SIGKILL) << ended.output;
      EXPECT_FALSE(fs::exists(report / "report.json"));
    } else {
      EXPECT_EQ(ended.exit_code, 3) << ended.output;
      EXPECT_THAT(ended.output, HasSubstr("run --resume " + report.string()));
    }
    const Ran resumed = run({tool(), "run", "--resume", report});
    EXPECT_EQ(resumed.exit_code, 0) << resumed.output;
    EXPECT_EQ(read_json(report / "report.json").at("resumed"), 1) << resumed.output;
    EXPECT_EQ(comparable_but_for_repetitions(report), comparable_but_for_repetitions(whole));
    EXPECT_EQ(lines_of(report / "points.jsonl"), lines_of(whole / "points.jsonl"));
  }
}

// Neither waits for the other, and neither reports what the other does.
TEST(InOneMachine, TwoRunsAtATime) {
  const char* const state = std::getenv("RPMACONF_STATE");
  ASSERT_NE(state, nullptr) << "names the state folder of a machine that runs";
  const Folder folder;
  const auto command = [&](const char* name) {
    return std::vector<std::string>{tool(), "run",      "--provider", "rxe",      "--machine",
                                    state,  "--filter", kInMachine,   "--report", folder.path() / name};
  };
  Started first(command("first"));
  Started second(command("second"));
  for (Started* one : {&first, &second}) {
    const Ran ran = one->wait();
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    EXPECT_THAT(ran.output, testing::Not(HasSubstr("waiting for another run")));
  }
  EXPECT_EQ(lines_of(folder.path() / "first/points.jsonl"), lines_of(folder.path() / "second/points.jsonl"));
}

// A file that cannot grow, as on a full disk.
TEST(Interrupted, AFullDiskLosesNothingThatWasWritten) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  const Ran ran = run({"sh", "-c", "trap '' XFSZ; ulimit -f 40; exec \"$@\"", "sh", tool(), "run",
                       "--provider", "mock", "--report", report});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("File too large"));
  EXPECT_THAT(ran.output, HasSubstr("run --resume"));
  EXPECT_FALSE(fs::exists(report / "report.json"));
  const Ran again = run({tool(), "run", "--resume", report});
  EXPECT_EQ(again.exit_code, 0) << again.output;
  EXPECT_EQ(read_json(report / "report.json").at("complete").at("value"), true);
}

// The reports are larger than the journals: the disk is full when they are written.
TEST(Interrupted, AFullDiskAtTheEndIsReportedWithItsReason) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  const Ran ran = run({"sh", "-c", "trap '' XFSZ; ulimit -f 40; exec \"$@\"", "sh", tool(), "run",
                       "--provider", "mock", "--filter", kFilter, "--report", report});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, testing::ContainsRegex("/report/report.*: File too large"));
  EXPECT_THAT(ran.output, HasSubstr("run --resume " + report.string()));
  EXPECT_EQ(names_in(report, ".part"), 0U);
  EXPECT_EQ(run({tool(), "run", "--resume", report}).exit_code, 0);
}

TEST(Merge, LeavesNothingBehindWhereTheDiskIsFull) {
  const Folder folder;
  for (const char* shard : {"1/2", "2/2"})
    run_to(folder.path() / std::string(1, shard[0]), {"--filter", kFilter, "--shard", shard});
  const fs::path merged = folder.path() / "merged";
  for (const char* blocks : {"1", "40"}) {
    const Ran ran = run({"sh", "-c", std::string("trap '' XFSZ; ulimit -f ") + blocks + "; exec \"$@\"", "sh",
                         tool(), "merge", folder.path() / "1", folder.path() / "2", "--report", merged});
    EXPECT_EQ(ran.exit_code, 2) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("File too large"));
    EXPECT_FALSE(fs::exists(merged));
  }
}

TEST(BaselineOfAReport, SaysThatTheDiskIsFull) {
  const Folder folder;
  ASSERT_EQ(run_to(folder.path() / "report").exit_code, 0);
  const Ran ran = run({"sh", "-c", "(trap '' XFSZ; ulimit -f 0; exec \"$@\") 2>&1 | cat", "sh", tool(),
                       "baseline", folder.path() / "report", "-o", folder.path() / "baseline.json"});
  EXPECT_THAT(ran.output, HasSubstr("baseline.json: File too large"));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "something was left";
}

// What a report folder may hold already when a run begins.
TEST(ReportFolder, NothingIsWrittenThroughALinkOrIntoAPipe) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  const fs::path precious = folder.path() / "precious";
  const std::vector<std::string> names = {"results.jsonl", "points.jsonl", "kernel.jsonl", "report.json",
                                          "report.html",   "report.tap",   "junit.xml",    "waivers.json",
                                          "run.json",      "kernel.log"};
  std::ofstream(precious) << "mine";
  for (const bool is_link : {true, false})
    for (const std::string& name : names) {
      SCOPED_TRACE(name);
      fs::remove_all(report);
      fs::create_directory(report);
      if (is_link)
        fs::create_symlink(precious, report / name);
      else
        ASSERT_EQ(mkfifo((report / name).c_str(), 0600), 0);
      const Ran ran = run({"timeout", "60", tool(), "run", "--provider", "mock", "--filter",
                           "Listen.ListenSucceeds", "--report", report});
      EXPECT_EQ(ran.exit_code, 0) << ran.output;
      EXPECT_EQ(fs::file_size(precious), 4U);
      EXPECT_FALSE(fs::is_symlink(report / name) || fs::is_fifo(report / name));
    }
}

TEST(ReportFolder, AMergedRunIsNotWrittenThroughALink) {
  const Folder folder;
  const fs::path precious = folder.path() / "precious";
  std::ofstream(precious) << "mine";
  ASSERT_EQ(run_to(folder.path() / "1", {"--filter", kFilter, "--shard", "1/1"}).exit_code, 0);
  fs::create_directory(folder.path() / "merged");
  for (const char* name : {"results.jsonl", "points.jsonl", "report.json"})
    fs::create_symlink(precious, folder.path() / "merged" / name);
  const Ran ran = run({tool(), "merge", folder.path() / "1", "--report", folder.path() / "merged"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_EQ(fs::file_size(precious), 4U);
}

TEST(Resume, GoesOnWithNoJournalThatIsNoFile) {
  for (const char* name : {"results.jsonl", "points.jsonl", "kernel.jsonl"})
    for (const bool is_link : {true, false}) {
      SCOPED_TRACE(name);
      const Folder folder;
      const fs::path report = folder.path() / "report";
      run_to(report, {"--filter", kFilter});
      interrupt_after(report, 5);
      fs::rename(report / name, folder.path() / "moved");
      if (is_link)
        fs::create_symlink(folder.path() / "moved", report / name);
      else
        ASSERT_EQ(mkfifo((report / name).c_str(), 0600), 0);
      const Ran ran = run({"timeout", "60", tool(), "run", "--resume", report});
      EXPECT_EQ(ran.exit_code, 2) << ran.output;
      EXPECT_THAT(ran.output, HasSubstr(name));
    }
}

// What is put beside a report is of the run that is there.
TEST(ReportFolder, ANewRunHasNoEvidenceOfAnother) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  fs::create_directory(report);
  for (const char* name : {"kernel.log", "self-check.json", "waivers.json", "report.html"})
    std::ofstream(report / name) << "of another run";
  run_to(report, {"--filter", kFilter});
  for (const char* name : {"kernel.log", "self-check.json", "waivers.json"})
    EXPECT_FALSE(fs::exists(report / name)) << name;
  // One that goes on is the same run.
  std::ofstream(report / "kernel.log") << "of this run";
  std::ofstream(report / "self-check.json") << "of this run";
  interrupt_after(report, 5);
  EXPECT_EQ(run({tool(), "run", "--resume", report}).exit_code, 0);
  EXPECT_TRUE(fs::exists(report / "kernel.log"));
  EXPECT_TRUE(fs::exists(report / "self-check.json"));
}

size_t changes_between(const fs::path& before, const fs::path& after) {
  const Ran ran = run({tool(), "diff", before, after, "--format", "json"});
  return nlohmann::json::parse(ran.output).at("changes").size();
}

TEST(Diff, GatesAndSaysWhatGotWorse) {
  const Folder folder;
  const std::vector<std::string> options = {"--filter", kFilter, "--librpma", toy()};
  ASSERT_EQ(run_to(folder.path() / "old", options).exit_code, 0);
  ASSERT_EQ(run_to(folder.path() / "new", options, {"RPMACONF_TOY=leak-block"}).exit_code, 1);
  const Ran worse = run({tool(), "diff", folder.path() / "old", folder.path() / "new"});
  EXPECT_EQ(worse.exit_code, 1) << worse.output;
  const nlohmann::json document = nlohmann::json::parse(
      run({tool(), "diff", folder.path() / "old", folder.path() / "new", "--format", "json"}).output);
  const auto has = [&document](const std::string& kind, const std::string& what) {
    return std::ranges::any_of(document.at("changes"), [&](const nlohmann::json& change) {
      return change.at("regression") == true && change.at("kind") == kind &&
             change.at("what").get<std::string>().starts_with(what);
    });
  };
  EXPECT_TRUE(has("worse", "clause LISTEN-LEAK-2")) << document;
  EXPECT_TRUE(has("appeared", "finding fail LISTEN-LEAK-2 by iut")) << document;
  const Ran better = run({tool(), "diff", folder.path() / "new", folder.path() / "old"});
  EXPECT_EQ(better.exit_code, 0) << better.output;
  EXPECT_THAT(better.output, HasSubstr("better: clause LISTEN-LEAK-2"));
  const Ran same = run({tool(), "diff", folder.path() / "old", folder.path() / "old"});
  EXPECT_EQ(same.exit_code, 0) << same.output;
  EXPECT_EQ(changes_between(folder.path() / "old", folder.path() / "old"), 0U);
}

TEST(Diff, TheSameLibraryMayHaveAnotherName) {
  const Folder folder;
  const char* const sweep = "Sweep.MemoryRunsOut/Cold";
  const fs::path other = folder.path() / "librpma_new.so.0";
  fs::copy_file(toy(), other);
  ASSERT_EQ(run_to(folder.path() / "old", {"--filter", sweep, "--librpma", toy()}).exit_code, 0);
  ASSERT_EQ(run_to(folder.path() / "new", {"--filter", sweep, "--librpma", other}).exit_code, 0);
  EXPECT_EQ(changes_between(folder.path() / "old", folder.path() / "new"), 0U);
}

TEST(Diff, ATestThatDidNotRunIsNoPass) {
  const Folder folder;
  ASSERT_EQ(run_to(folder.path() / "old", {"--filter", "Listen.NullPeer*"}).exit_code, 0);
  ASSERT_EQ(run_to(folder.path() / "new", {"--filter", "Listen.NullPeerGives*"}).exit_code, 0);
  const Ran ran = run({tool(), "diff", folder.path() / "old", folder.path() / "new"});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;  // LISTEN-INVAL-2 is not judged any more
  EXPECT_THAT(ran.output, HasSubstr("clause LISTEN-INVAL-2"));
  EXPECT_THAT(ran.output, HasSubstr("Listen.NullPeerAddrGivesEInval"));
}

TEST(BaselineOfAReport, IsWhatTheNextRunIsHeldTo) {
  const Folder folder;
  const fs::path baseline = folder.path() / "baseline.json";
  const std::vector<std::string> toy_library = {"--librpma", toy()};
  ASSERT_EQ(run_to(folder.path() / "report", toy_library, {"RPMACONF_TOY=leak-block"}).exit_code, 1);
  const Ran made = run({tool(), "baseline", folder.path() / "report", "-o", baseline});
  EXPECT_EQ(made.exit_code, 0) << made.output;
  std::vector<std::string> gated = toy_library;
  gated.insert(gated.end(), {"--baseline", baseline});
  EXPECT_EQ(run_to(folder.path() / "again", gated, {"RPMACONF_TOY=leak-block"}).exit_code, 0);
  EXPECT_EQ(run_to(folder.path() / "fixed", gated).exit_code, 1);
  // What people wrote beside a finding stays.
  nlohmann::json document = read_json(baseline);
  document["findings"][0]["note"] = "seen before";
  std::ofstream(baseline) << document;
  EXPECT_EQ(run({tool(), "baseline", folder.path() / "report", "-o", baseline}).exit_code, 0);
  EXPECT_EQ(read_json(baseline)["findings"][0]["note"], "seen before");
  // Each finding has its own.
  nlohmann::json other = document["findings"][0];
  other["signature"] = "another cause";
  other["note"] = "of another one";
  document["findings"].push_back(other);
  std::ofstream(baseline) << document;
  EXPECT_EQ(run({tool(), "baseline", folder.path() / "report", "-o", baseline}).exit_code, 0);
  EXPECT_EQ(read_json(baseline)["findings"][0]["note"], "seen before");
  document = read_json(baseline);
  // A clause that vanished is noticed.
  document["clauses"]["LISTEN-GONE-1"] = "pass";
  std::ofstream(baseline) << document;
  const Ran vanished = run_to(folder.path() / "vanished", gated, {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(vanished.exit_code, 1);
  EXPECT_THAT(vanished.output, HasSubstr("LISTEN-GONE-1"));
}

// Also where a test has a finding besides, so that its verdict shows nothing of the waiver.
TEST(BaselineOfAReport, IsNotMadeOfWhatIsWaived) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  ASSERT_EQ(run_to(report, {"--librpma", toy()}, {"RPMACONF_TOY=leak-block"}).exit_code, 1);
  const nlohmann::json bare = read_json(report / "report.json");
  const std::string today = bare["started"].get<std::string>().substr(0, 10);
  const std::string later = std::to_string(std::stoi(today.substr(0, 4)) + 1) + "-01-01";
  std::ofstream(folder.path() / "waivers.json")
      << nlohmann::json{{"schema", "rpma-conformance-waivers/1"},
                        {"waivers",
                         {{{"point", bare["findings"][0]["points"][0]},
                           {"module", "iut"},
                           {"build_id", bare["stack"]["modules"][0]["build_id"]},
                           {"owner", "the toy's author"},
                           {"reason", "it is made to leak"},
                           {"link", "https://example.org/1"},
                           {"expires", later}}}}};
  const Ran waived = run_to(report, {"--librpma", toy(), "--waivers", folder.path() / "waivers.json"},
                            {"RPMACONF_TOY=leak-block"});
  ASSERT_EQ(waived.exit_code, 1) << waived.output;
  const Ran ran = run({tool(), "baseline", report, "-o", folder.path() / "baseline.json"});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("--waivers"));
  EXPECT_FALSE(fs::exists(folder.path() / "baseline.json"));
}

TEST(BaselineOfAReport, IsNotMadeOfAPart) {
  const Folder folder;
  run_to(folder.path() / "report", {"--filter", kFilter});
  const Ran ran = run({tool(), "baseline", folder.path() / "report", "-o", folder.path() / "baseline.json"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.output, HasSubstr("report"));
  EXPECT_FALSE(fs::exists(folder.path() / "baseline.json"));
}

TEST(WaiversOfARun, StopNoGateAndAreListed) {
  const Folder folder;
  const fs::path file = folder.path() / "waivers.json";
  const Ran bare =
      run_to(folder.path() / "bare", {"--librpma", toy(), "--filter", kFilter}, {"RPMACONF_TOY=leak-block"});
  ASSERT_EQ(bare.exit_code, 1);
  const auto write = [&](const std::string& expires) {
    std::ofstream(file) << nlohmann::json{
        {"schema", "rpma-conformance-waivers/1"},
        {"waivers",
         {{{"clause", "LISTEN-LEAK-2"},
           {"module", "iut"},
           {"build_id", read_json(folder.path() / "bare/report.json")["stack"]["modules"][0]["build_id"]},
           {"owner", "the toy's author"},
           {"reason", "it is made to leak"},
           {"link", "https://example.org/1"},
           {"expires", expires}}}}};
  };
  const std::string today =
      read_json(folder.path() / "bare/report.json")["started"].get<std::string>().substr(0, 10);
  const int year = std::stoi(today.substr(0, 4));
  write(std::to_string(year + 1) + today.substr(4, 4) + "01");  // a year at most
  const std::vector<std::string> options = {"--librpma", toy(), "--filter", kFilter, "--waivers", file};
  const Ran waived = run_to(folder.path() / "waived", options, {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(waived.exit_code, 0) << waived.output;
  EXPECT_THAT(waived.output, HasSubstr("LISTEN-LEAK-2"));
  const nlohmann::json report = read_json(folder.path() / "waived/report.json");
  EXPECT_EQ(report["waivers"][0]["state"], "used");
  EXPECT_EQ(report["certifiable"]["value"], false);
  EXPECT_TRUE(fs::exists(folder.path() / "waived/waivers.json"));
  // results.jsonl holds what was seen, waived or not.
  EXPECT_EQ(lines_of(folder.path() / "waived/results.jsonl").back()["verdict"], "fail");

  write(std::to_string(year - 1) + "-01-01");
  const Ran expired = run_to(folder.path() / "expired", options, {"RPMACONF_TOY=leak-block"});
  EXPECT_EQ(expired.exit_code, 2);
  EXPECT_THAT(expired.output, HasSubstr(std::to_string(year - 1) + "-01-01"));
  EXPECT_FALSE(fs::exists(folder.path() / "expired"));
}

TEST(Explain, ATestNamesItsClausesAndWhatWasSeen) {
  const Folder folder;
  run_to(folder.path() / "report", {"--filter", "Listen.NullPeerGives*"});
  const Ran test =
      run({tool(), "explain", "Listen.NullPeerGivesEInval", "--report", folder.path() / "report"});
  EXPECT_EQ(test.exit_code, 0) << test.output;
  EXPECT_THAT(test.output, HasSubstr("LISTEN-INVAL-1"));
  EXPECT_THAT(test.output, HasSubstr("listen/1"));
  const Ran matrix = run({tool(), "list", "--clauses", "--report", folder.path() / "report"});
  EXPECT_EQ(matrix.exit_code, 0) << matrix.output;
  EXPECT_THAT(matrix.output, testing::ContainsRegex("LISTEN-INVAL-1 +[0-9]+ +3  pass"));
  EXPECT_THAT(matrix.output, testing::ContainsRegex("LISTEN-INVAL-2 +[0-9]+ +0  not judged"));
}

// What was named must be there: without it, what is said would be taken for what the report says.
TEST(NamedReport, MustBeThere) {
  constexpr const char* kClause = "LISTEN-RET-1";
  constexpr const char* kTest = "Listen.NullPeerGivesEInval";
  constexpr const char* kPoint = "rpma_ep_listen/cold/null";
  const Folder folder;
  const fs::path begun = folder.path() / "begun";
  run_to(begun, {"--filter", kFilter});
  interrupt_after(begun, 5);
  fs::create_directory(folder.path() / "empty");
  const std::vector<std::vector<std::string>> commands = {
      {"list", "--clauses"}, {"explain", kClause}, {"explain", kTest}, {"explain", kPoint}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.begin(), tool());
    // The default folder may be absent.
    std::vector<std::string> words = {"env", "-C", folder.path()};
    words.insert(words.end(), command.begin(), command.end());
    EXPECT_EQ(run(words).exit_code, 0) << command.back();

    command.insert(command.end(), {"--report", ""});
    for (const char* name : {"empty", "nonexistent"}) {
      command.back() = folder.path() / name;
      const Ran ran = run(command);
      EXPECT_EQ(ran.exit_code, 2) << ran.output;
      EXPECT_THAT(ran.output, HasSubstr(command.back()));
    }
    command.back() = begun;
    const Ran ran = run(command);
    if (command[2] == kPoint) {  // points are there as soon as they were tried
      EXPECT_EQ(ran.exit_code, 0) << ran.output;
      continue;
    }
    EXPECT_EQ(ran.exit_code, 2) << ran.output;
    EXPECT_THAT(ran.output, HasSubstr("run --resume " + begun.string()));
  }
}

TEST(NamedReport, MustBeOfTheProvider) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  run_to(report, {"--filter", "Listen.NullPeerGivesEInval"});
  const auto exit_code_for = [&report](const char* provider) {
    return run({tool(), "list", "--clauses", "--report", report, "--provider", provider}).exit_code;
  };
  EXPECT_EQ(exit_code_for("mock"), 0);
  EXPECT_EQ(exit_code_for("rxe"), 2);
}

TEST(ReportFolder, IsOneRunsAtATime) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  fs::create_directory(report);
  const Ran ran = run({"flock", report, tool(), "run", "--provider", "mock", "--report", report});
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(report.string()));
}

}  // namespace
}  // namespace conformance::testing_tool
