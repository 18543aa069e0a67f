// SPDX-License-Identifier: BSD-3-Clause
//
// The report folder and its formats. report.json (schema rpma-conformance/1) is the source of truth;
// report.html, junit.xml, report.tap and the text on the terminal are views of the same result.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/result.h"

namespace conformance {

nlohmann::ordered_json to_json(const RunResult& run);
nlohmann::ordered_json to_json(const TestResult& test);
nlohmann::ordered_json to_json(const PointResult& point);

// Back. The JSON is valid by its schema (schemas.h). from_json() throws DocumentError for a negative seed.
TestResult test_from_json(const nlohmann::ordered_json& json);
RunResult from_json(const nlohmann::ordered_json& json);

// A report.json. Throws SetupError, which ends with the hint.
RunResult read_report(const std::filesystem::path& file, std::string_view hint);

std::string to_junit(const RunResult& run);
std::string to_tap(const RunResult& run);

// The files of a report folder: written during the run, made of them at its end, and others.
inline constexpr const char* kKernelLog = "kernel.log";
inline constexpr const char* kJournals[] = {"results.jsonl", "points.jsonl", "kernel.jsonl"};
inline constexpr const char* kDocuments[] = {"report.json", "report.html", "junit.xml", "report.tap",
                                             "waivers.json"};
inline constexpr const char* kBeside[] = {"run.json", kKernelLog, "self-check.json"};

// What an earlier part of a run wrote: complete lines only, and only points of tests that have a result.
struct Journal {
  std::shared_ptr<const nlohmann::ordered_json> header;  // the first line of results.jsonl; null: none
  unsigned resumed = 0;                                  // how often the run was resumed
  std::vector<TestResult> tests;    // without the kernel's, which is judged again from its lines
  std::vector<std::string> points;  // lines of points.jsonl
  std::vector<std::string> kernel_log;
};
// Of a report folder. Throws SetupError where a run cannot have written the files. Links are refused.
Journal read_journal(const std::filesystem::path& folder);

// The content of the three files, and back. parse_journal() stops at the first damaged line, and throws
// DocumentError for a line that breaks its schema.
struct JournalText {
  std::string results;
  std::string points;
  std::string kernel;
};
JournalText text_of(const Journal& journal);
Journal parse_journal(std::string_view results, std::string_view points, std::string_view kernel);

// Makes a report folder and removes these documents of an earlier run from it. Throws SetupError.
void make_report_folder(const std::filesystem::path& folder, const std::vector<std::string>& documents);

// Removes the files of an earlier run from a report folder; when a run is resumed, only the documents made at
// its end. Links are removed, never followed. Throws SetupError.
void clear_report_folder(const std::filesystem::path& folder, bool resume);

// Appends the log of a machine's kernel to kernel.log, which has those of the run's earlier parts. Throws
// SetupError.
void add_to_kernel_log(const std::filesystem::path& folder, std::string log);

// The hint "make room ... and continue with run --resume", for a run that could not write to its folder.
std::string how_to_go_on(const std::filesystem::path& folder);

// The summary at the end of a run: verdict per clause, stack, findings, verdicts. `options`: for the commands
// that reproduce a finding.
std::string to_text(const RunResult& run, const std::string& options);

// The folder that results are written to during the run, so that a killed run keeps them.
class ReportFolder {
 public:
  // Makes the folder, or opens it to resume a run. Throws SetupError where it cannot be written to. `hint`:
  // what to do when writing fails later; empty: how_to_go_on().
  explicit ReportFolder(std::filesystem::path folder, bool resume = false, std::string hint = {});

  // What the earlier part wrote; empty for a new run.
  [[nodiscard]] const Journal& earlier() const { return earlier_; }

  // `header`: suite, modules under test and others that must be the same in each part. Throws SetupError
  // where the earlier part has another header.
  void begin(const nlohmann::ordered_json& header);
  void add(const TestResult& test);                               // one line of results.jsonl, flushed
  void add(const PointResult& point, const std::string& test);    // one line of points.jsonl, flushed
  void add_kernel_line(const std::string& line);                  // one line of kernel.jsonl, flushed
  void keep(const char* name, const std::string& content) const;  // atomic
  void finish(const RunResult& run);                              // report.json and its views

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
