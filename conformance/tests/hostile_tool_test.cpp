// SPDX-License-Identifier: BSD-3-Clause
//
// Each command with hostile files and arguments: one line that names the place, exit code 2, within bounded
// time and memory, and nothing written.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "conformance/tests/tool.h"

namespace conformance::testing_tool {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A run that waits for a pipe or reads a device to its end is ended, and one that takes gigabytes gets none.
Ran run_bounded(std::vector<std::string> words) {
  std::vector<std::string> command = {"timeout", "120", "prlimit", "--as=4294967296", tool()};
  command.insert(command.end(), words.begin(), words.end());
  return run(command);
}

std::string last_line(const std::string& output) {
  const size_t begin = output.rfind("rpma-conformance: ");
  return begin == std::string::npos ? "" : output.substr(begin);
}

void expect_one_line(const Ran& ran) {
  const std::string line = last_line(ran.output);
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_EQ(std::ranges::count(line, '\n'), 1) << ran.output;
  EXPECT_LT(line.size(), 2000U);
  for (const char c : line)
    EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << "a control character in: " << line;
}

void write(const fs::path& file, const std::string& content) {
  std::ofstream(file, std::ios::binary) << content;
}

std::string repeated(const std::string& text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::string nested(size_t times) {
  return std::string(times, '[') + std::string(times, ']');
}

// What stands where a document of a schema should.
struct Hostile {
  const char* name;
  void (*make)(const fs::path& file, const std::string& schema);
};

const Hostile kHostile[] = {
    {"nothing in it", [](const fs::path& file, const std::string&) { write(file, ""); }},
    {"cut off",
     [](const fs::path& file, const std::string& schema) { write(file, R"({"schema": ")" + schema); }},
    {"of another schema",
     [](const fs::path& file, const std::string&) { write(file, R"({"schema": "other/1"})"); }},
    {"without its fields",
     [](const fs::path& file, const std::string& schema) {
       write(file, R"({"schema": ")" + schema + "\"}");
     }},
    {"a list", [](const fs::path& file, const std::string&) { write(file, "[1, 2]"); }},
    {"nested", [](const fs::path& file, const std::string&) { write(file, nested(100000)); }},
    {"a key twice",
     [](const fs::path& file, const std::string& schema) {
       write(file, R"({"schema": ")" + schema + R"(", "schema": ")" + schema + "\"}");
     }},
    {"a NUL byte behind the end",
     [](const fs::path& file, const std::string& schema) {
       write(file, R"({"schema": ")" + schema + std::string("\"}\0{}", 5));
     }},
    {"no UTF-8", [](const fs::path& file, const std::string&) { write(file, "{\"\xff\": \"\x1b[2J\"}"); }},
    {"a number out of range",
     [](const fs::path& file, const std::string& schema) {
       write(file, R"({"schema": ")" + schema + R"(", "a": 1e999})");
     }},
    {"larger than any",
     [](const fs::path& file, const std::string&) {
       write(file, "{");
       fs::resize_file(file, uintmax_t{1} << 40);  // takes no disk
     }},
    {"a folder", [](const fs::path& file, const std::string&) { fs::create_directory(file); }},
    {"a pipe", [](const fs::path& file, const std::string&) { mkfifo(file.c_str(), 0600); }},
    {"a device without an end",
     [](const fs::path& file, const std::string&) { fs::create_symlink("/dev/zero", file); }},
    {"a device that waits",
     [](const fs::path& file, const std::string&) { fs::create_symlink("/dev/ptmx", file); }},
    {"links in a ring", [](const fs::path& file, const std::string&) { fs::create_symlink(file, file); }},
    {"a link to nowhere",
     [](const fs::path& file, const std::string&) { fs::create_symlink("/nonexistent/file", file); }},
    {"a file that cannot be read",
     [](const fs::path& file, const std::string&) { fs::create_symlink("/proc/self/mem", file); }},
};

// A command that reads a document.
struct Reader {
  const char* name;
  const char* file;  // in the folder
  const char* schema;
  std::vector<std::string> (*words)(const fs::path& folder);
};

void PrintTo(const Reader& reader, std::ostream* out) {
  *out << reader.name;
}

std::vector<std::string> run_with(const char* option, const fs::path& file) {
  return {"run",  "--provider", "mock", "--filter", "Listen.Null*", "--report", file.parent_path() / "new",
          option, file};
}

const Reader kReaders[] = {
    {"RunBaseline", "file", "rpma-conformance-baseline/1",
     [](const fs::path& folder) { return run_with("--baseline", folder / "file"); }},
    {"RunWaivers", "file", "rpma-conformance-waivers/1",
     [](const fs::path& folder) { return run_with("--waivers", folder / "file"); }},
    {"RunResume", "run.json", "rpma-conformance-run/1",
     [](const fs::path& folder) {
       return std::vector<std::string>{"run", "--resume", folder};
     }},
    {"ExplainClause", "report.json", "rpma-conformance/1",
     [](const fs::path& folder) {
       return std::vector<std::string>{"explain", "LISTEN-RET-1", "--report", folder};
     }},
    {"Diff", "report.json", "rpma-conformance/1",
     [](const fs::path& folder) {
       return std::vector<std::string>{"diff", folder, folder};
     }},
    {"Merge", "report.json", "rpma-conformance/1",
     [](const fs::path& folder) {
       return std::vector<std::string>{"merge", folder, folder, "--report", folder / "new"};
     }},
    {"Baseline", "report.json", "rpma-conformance/1",
     [](const fs::path& folder) {
       return std::vector<std::string>{"baseline", folder, "-o", folder / "new"};
     }},
    {"Bundle", "report.json", "rpma-conformance/1",
     [](const fs::path& folder) {
       return std::vector<std::string>{"bundle", folder, "-o", folder / "new"};
     }},
};

class Reading : public testing::TestWithParam<Reader> {};

TEST_P(Reading, RefusesWhatIsHostile) {
  for (const Hostile& hostile : kHostile) {
    SCOPED_TRACE(hostile.name);
    const Folder folder;
    hostile.make(folder.path() / GetParam().file, GetParam().schema);
    const Ran ran = run_bounded(GetParam().words(folder.path()));
    expect_one_line(ran);
    EXPECT_THAT(last_line(ran.output), HasSubstr(folder.path().string()));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "something was written";
  }
}

INSTANTIATE_TEST_SUITE_P(Command, Reading, testing::ValuesIn(kReaders),
                         [](const auto& row) { return std::string(row.param.name); });

// The points of a report are lines; those that were written before a run was killed are shown.
TEST(ReadingPoints, RefusesWhatIsNoFileOfPoints) {
  constexpr const char* kPoint = "rpma_ep_listen/cold/null";
  const auto explain = [](const Folder& folder) {
    return run_bounded({"explain", kPoint, "--report", folder.path()});
  };
  for (const Hostile& hostile : kHostile) {
    const Folder folder;
    const fs::path file = folder.path() / "points.jsonl";
    hostile.make(file, "none");
    const bool is_file = fs::symlink_status(file).type() == fs::file_type::regular;
    if (is_file && fs::file_size(file) < (1U << 20)) continue;
    SCOPED_TRACE(hostile.name);
    expect_one_line(explain(folder));
  }
  const Folder folder;
  write(folder.path() / "points.jsonl", R"({"point": 7})"
                                        "\n");
  expect_one_line(explain(folder));
  write(folder.path() / "points.jsonl",
        R"({"point": "rpma_ep_listen/cold/null", "verdict": "pass", "test": "A\u001b[2J", "seconds": 0.1})"
        "\n{\"cut");
  const Ran ran = explain(folder);
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_THAT(ran.output, HasSubstr(R"( pass in A\x1b[2J)"));
}

TEST(ReadingBundles, RefusesWhatIsHostile) {
  for (const Hostile& hostile : kHostile) {
    SCOPED_TRACE(hostile.name);
    const Folder folder;
    const fs::path file = folder.path() / "bundle";
    hostile.make(file, "none");
    const Ran ran = run_bounded({"verify", file});
    EXPECT_THAT(ran.exit_code, testing::AnyOf(2, 4)) << ran.output;
    EXPECT_LT(std::ranges::count(ran.output, '\n'), 5) << ran.output;
    EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 1) << "something was written";
  }
}

// run.json names the folders of the run's machine. A forged one must not make the tool remove other folders.
TEST(Resuming, RemovesNothingButWhatARunLeaves) {
  const Folder folder;
  const fs::path report = folder.path() / "report";
  ASSERT_EQ(
      run({tool(), "run", "--provider", "mock", "--filter", "Listen.Null*", "--report", report}).exit_code,
      0);
  fs::remove(report / "report.json");  // as if it had not ended
  const fs::path victim = folder.path() / "victim";
  fs::create_directories(victim / "share/report-1");
  write(victim / "lock", "");
  write(victim / "share/report-1/precious", "mine");
  struct Claim {
    const char* name;
    fs::path machine;
    fs::path inner_report;
  };
  fs::create_directory_symlink(victim, folder.path() / "rpma-conformance-AAAAAA");
  const Claim claims[] = {
      {"a folder of another name", victim, victim / "share/report-1"},
      {"a link with the name", folder.path() / "rpma-conformance-AAAAAA",
       folder.path() / "rpma-conformance-AAAAAA/share/report-1"},
      {"a report elsewhere", "", victim},
      {"the way up", "", victim / "share/report-1/.."},
      {"the folder itself", "", folder.path()},
  };
  for (const Claim& claim : claims) {
    SCOPED_TRACE(claim.name);
    nlohmann::json record = read_json(report / "run.json");
    record["options"]["provider"] = "rxe";
    record["machine"] = claim.machine;
    record["inner_report"] = claim.inner_report;
    write(report / "run.json", record.dump());
    const Ran ran = run_bounded({"run", "--resume", report});
    expect_one_line(ran);
    EXPECT_THAT(ran.output, HasSubstr("run.json"));
    EXPECT_TRUE(fs::exists(victim / "share/report-1/precious"));
  }
}

struct Words {
  const char* name;
  std::string text;
  const char* says;
};

void PrintTo(const Words& words, std::ostream* out) {
  *out << words.name;
}

const Words kPoints[] = {
    {"Long", std::string(100000, 'x') + "/cold/null", "1024"},
    {"LongRule", "rpma_ep_listen/" + std::string(900, 'x') + "/cold/null", "xxx"},
    {"EmptyParts", "rpma_ep_listen" + std::string(900, '/') + "/cold/null", "function"},
    {"ManyRules", "rpma_ep_listen" + repeated("/malloc:error=ENOMEM", 17) + "/cold/null", "16"},
    {"Newline", "rpma_ep_listen/script=a\nb/cold/null", "control"},
    {"Escape", "rpma_ep_listen\x1b[2J/cold/null", "control"},
    {"NoUtf8", "rpma_ep_listen\xff/cold/null", "rpma_ep_listen"},
    {"EncodedNul", "rpma_ep_listen(addr=192.0.2.1%00x)/cold/null", "NUL"},
    {"NoStart", "rpma_ep_listen/tepid/null", "'tepid'"},
    {"NoSentinel", "rpma_ep_listen/cold/void", "'void'"},
    {"UnknownError", "rpma_ep_listen/rdma_listen:error=EWHATEVER/cold/null", "EWHATEVER"},
    {"NumberForAnError", "rpma_ep_listen/rdma_listen:error=98/cold/null", "EADDRINUSE"},
    {"CountTooLarge", "rpma_ep_listen/malloc:error=ENOMEM:when=99999999999999999999/cold/null", "position"},
    {"ThreadsTooMany", "rpma_ep_listen/threads=4294967297/cold/null", "threads="},
    {"ConditionUnknown", "rpma_ep_listen/condition=nothing/cold/null", "'nothing'"},
    {"ConditionWithoutItsNumber", "rpma_ep_listen/condition=listeners/cold/null", "listeners:number"},
    {"ConditionWithAWord", "rpma_ep_listen/condition=listeners:many/cold/null", "listeners:number"},
    {"ConditionWithTooMany", "rpma_ep_listen/condition=listeners:99999999/cold/null", "listeners:number"},
    {"ConditionWithAParameterTooMany", "rpma_ep_listen/condition=node-missing:1/cold/null", "node-missing"},
};

class Point : public testing::TestWithParam<Words> {};

TEST_P(Point, IsRefusedByWhateverReadsIt) {
  const Folder folder;
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"explain", GetParam().text, "--report", folder.path()},
        std::vector<std::string>{"replay", "--provider", "mock", GetParam().text}}) {
    const Ran ran = run_bounded(words);
    expect_one_line(ran);
    EXPECT_THAT(ran.output, HasSubstr(GetParam().says));
  }
}

INSTANTIATE_TEST_SUITE_P(CommandLine, Point, testing::ValuesIn(kPoints),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Explain, WhatIsNothingIsToldWithoutRepeatingAllOfIt) {
  const Ran ran = run_bounded({"explain", std::string(100000, 'x')});
  expect_one_line(ran);
  EXPECT_THAT(ran.output, HasSubstr("xxx"));
}

}  // namespace
}  // namespace conformance::testing_tool
