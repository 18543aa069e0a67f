// SPDX-License-Identifier: BSD-3-Clause
//
// The report folder and its formats. report.json (schema rpma-conformance/1) is the source of truth;
// report.html, junit.xml, report.tap and the text on the terminal are views of the same result.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/result.h"

namespace conformance {

inline constexpr const char* kReportFormat = "rpma-conformance/1";

nlohmann::ordered_json to_json(const RunResult& run);
nlohmann::ordered_json to_json(const TestResult& test);
nlohmann::ordered_json to_json(const PointResult& point);

// Throws DocumentError (document.h) where it is no such result.
TestResult test_from_json(const nlohmann::ordered_json& json);
RunResult from_json(const nlohmann::ordered_json& json);

// A report.json. Throws SetupError, which ends in the hint.
RunResult read_report(const std::filesystem::path& file, std::string_view hint);

std::string to_junit(const RunResult& run);
std::string to_tap(const RunResult& run);

// What a report folder may hold: what is written as it is obtained, what is made of it in the end, and what
// is put beside both.
inline constexpr const char* kKernelLog = "kernel.log";
inline constexpr const char* kJournals[] = {"results.jsonl", "points.jsonl", "kernel.jsonl"};
inline constexpr const char* kDocuments[] = {"report.json", "report.html", "junit.xml", "report.tap",
                                             "waivers.json"};
inline constexpr const char* kBeside[] = {"run.json", kKernelLog, "self-check.json"};

// What an earlier part of a run left: whole lines alone, and of points those of tests that came to their end.
// NOLINTNEXTLINE(bugprone-exception-escape): clang-tidy 14 takes moving JSON for something that throws
struct Journal {
  nlohmann::ordered_json header;    // the first line of results.jsonl; null: none
  unsigned resumed = 0;             // how often the run went on
  std::vector<TestResult> tests;    // without the kernel's, which is judged anew from its lines
  std::vector<std::string> points;  // lines of points.jsonl
  std::vector<std::string> kernel_log;
};
// Of a report folder. Throws SetupError where the files are nothing that a run wrote; a link is none.
Journal read_journal(const std::filesystem::path& folder);

// The content of the three files, and back. parse_journal() takes whole lines as far as they go, and throws
// DocumentError for one that a run would not have written.
struct JournalText {
  std::string results;
  std::string points;
  std::string kernel;
};
JournalText text_of(const Journal& journal);
Journal parse_journal(std::string_view results, std::string_view points, std::string_view kernel);

// Makes a report folder, without the documents that an earlier run left there: they would pass for this
// one's. Throws SetupError where it cannot be made.
void make_report_folder(const std::filesystem::path& folder, const std::vector<std::string>& documents);

// Removes what an earlier run left in a report folder: it would pass for evidence of this one. Of a run that
// goes on, what was made of its earlier part alone. Links are removed, never followed. Throws SetupError.
void clear_report_folder(const std::filesystem::path& folder, bool resume);

// Keeps what a machine's kernel logged, behind what those of the run's earlier parts did: kernel.jsonl has
// the lines of each. Throws SetupError.
void add_to_kernel_log(const std::filesystem::path& folder, std::string log);

// "make room ... and go on with run --resume": for a run that could not be written to its folder.
std::string how_to_go_on(const std::filesystem::path& folder);

// The summary at the end of a run: verdict per clause, stack, findings, verdicts. `options`: what the
// commands that show a finding again must be given.
std::string to_text(const RunResult& run, const std::string& options);

// A folder that results are written to as they are obtained: a killed run keeps what it had.
class ReportFolder {
 public:
  // Makes the folder, for a new run or for one that goes on. Throws SetupError where it cannot be written to.
  // `hint`: what to do when it cannot be written to any more; how_to_go_on() where there is none.
  explicit ReportFolder(std::filesystem::path folder, bool resume = false, std::string hint = {});

  // What the earlier part left; empty for a new run.
  [[nodiscard]] const Journal& earlier() const { return earlier_; }

  // `header`: what must be the same in each part: the suite, the modules under test. Throws SetupError where
  // the earlier part had another.
  void begin(const nlohmann::ordered_json& header);
  void add(const TestResult& test);                               // one line of results.jsonl, flushed
  void add(const PointResult& point, const std::string& test);    // one line of points.jsonl, flushed
  void add_kernel_line(const std::string& line);                  // one line of kernel.jsonl, flushed
  void keep(const char* name, const std::string& content) const;  // appears whole or not at all
  void finish(const RunResult& run);                              // report.json and its views, each kept so

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  void write(std::ofstream& stream, const nlohmann::ordered_json& line) const;
  std::filesystem::path folder_;
  std::string hint_;
  Journal earlier_;
  std::ofstream journal_;
  std::ofstream points_;
  std::ofstream kernel_;
};

}  // namespace conformance
