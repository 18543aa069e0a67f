// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <system_error>

#include "conformance/harness/library.h"
#include "conformance/report/html.h"
#include "conformance/report/report.h"

namespace conformance {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw SetupError(fmt::format("cannot write to the report folder {}{}; name another with --report DIR",
                               folder.string(), why));
}

}  // namespace

std::vector<TestResult> read_journal(const fs::path& file) {
  std::vector<TestResult> tests;
  std::ifstream journal(file);
  for (std::string line; std::getline(journal, line);) {
    const auto json = nlohmann::ordered_json::parse(line, nullptr, false);
    if (json.is_discarded()) break;  // the line at which it died
    tests.push_back(test_from_json(json));
  }
  return tests;
}

void make_report_folder(const fs::path& folder, const std::vector<std::string>& documents) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse(folder, ": " + error.message());
  for (const std::string& name : documents) fs::remove(folder / name, error);
}

void write_whole(const fs::path& file, const std::string& content) {
  fs::path half = file;
  half += ".part";
  std::ofstream stream(half, std::ios::trunc | std::ios::binary);
  stream << content << std::flush;
  std::error_code error;
  if (stream) fs::rename(half, file, error);
  if (!stream || error) throw SetupError(fmt::format("cannot write {}", file.string()));
}

ReportFolder::ReportFolder(fs::path folder) : folder_(std::move(folder)) {
  make_report_folder(folder_, {"report.json", "junit.xml", "report.html"});
  journal_.open(folder_ / "results.jsonl", std::ios::trunc);
  points_.open(folder_ / "points.jsonl", std::ios::trunc);
  if (!journal_ || !points_) refuse(folder_, "");
}

void ReportFolder::add(const TestResult& test) {
  journal_ << to_json(test).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n'
           << std::flush;
  need(journal_);
}

void ReportFolder::add(const PointResult& point, const std::string& test) {
  nlohmann::ordered_json line = {{"test", test}};
  line.update(to_json(point));
  points_ << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n' << std::flush;
  need(points_);
}

void ReportFolder::need(const std::ofstream& stream) const {
  if (!stream) throw SetupError(fmt::format("cannot write to {} any more", folder_.string()));
}

void ReportFolder::finish(const RunResult& run) {
  const nlohmann::ordered_json report = to_json(run);
  write_whole(folder_ / "report.json",
              report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  write_whole(folder_ / "junit.xml", to_junit(run));
  write_whole(folder_ / "report.html", to_html(report, read_points(folder_ / "points.jsonl")));
}

}  // namespace conformance
