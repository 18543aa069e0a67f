// SPDX-License-Identifier: BSD-3-Clause
//
// The report folder and its formats. report.json (schema rpma-conformance/1) is the source of truth;
// junit.xml, report.html and the text on the terminal are views of the same result.
#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/report/result.h"

namespace conformance {

nlohmann::ordered_json to_json(const RunResult& run);
nlohmann::ordered_json to_json(const TestResult& test);
nlohmann::ordered_json to_json(const PointResult& point);

// Throws std::runtime_error with one clear line where `document` is not a report.
TestResult test_from_json(const nlohmann::ordered_json& json);
RunResult from_json(const nlohmann::ordered_json& document);

std::string to_junit(const RunResult& run);

// The tests of a results.jsonl, as far as it was written.
std::vector<TestResult> read_journal(const std::filesystem::path& file);

// Makes a report folder, without the documents that an earlier run left there: they would pass for this
// one's. Throws SetupError where it cannot be made.
void make_report_folder(const std::filesystem::path& folder, const std::vector<std::string>& documents);

// Writes a file that appears whole or not at all. Throws SetupError where it cannot.
void write_whole(const std::filesystem::path& file, const std::string& content);

// The summary at the end of a run: verdict per clause, stack, findings, verdicts. `options`: what the
// commands that show a finding again must be given.
std::string to_text(const RunResult& run, const std::string& options);

// A folder that results are written to as they are obtained: a killed run keeps what it had.
class ReportFolder {
 public:
  // Makes the folder. Throws SetupError where it cannot be written to.
  explicit ReportFolder(std::filesystem::path folder);

  void add(const TestResult& test);                             // one line of results.jsonl, flushed
  void add(const PointResult& point, const std::string& test);  // one line of points.jsonl, flushed
  void finish(
      const RunResult& run);  // report.json, junit.xml, report.html, each appearing whole or not at all

  [[nodiscard]] const std::filesystem::path& path() const { return folder_; }

 private:
  void need(const std::ofstream& stream) const;  // throws SetupError where it cannot be written to
  std::filesystem::path folder_;
  std::ofstream journal_;
  std::ofstream points_;
};

}  // namespace conformance
