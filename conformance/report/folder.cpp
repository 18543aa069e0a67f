// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <system_error>

#include "conformance/harness/library.h"
#include "conformance/report/report.h"

namespace conformance {

namespace fs = std::filesystem;

ReportFolder::ReportFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error) journal_.open(folder_ / "results.jsonl", std::ios::trunc);
  if (!error) points_.open(folder_ / "points.jsonl", std::ios::trunc);
  if (error || !journal_ || !points_)
    throw SetupError(fmt::format("cannot write to the report folder {}{}; name another with --report DIR",
                                 folder_.string(), error ? ": " + error.message() : ""));
  // What an earlier run left would pass for this one's result, should this one be killed.
  for (const char* name : {"report.json", "junit.xml"}) fs::remove(folder_ / name, error);
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
  write("report.json", to_json(run).dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  write("junit.xml", to_junit(run));
}

void ReportFolder::write(const std::string& name, const std::string& content) const {
  const fs::path half = folder_ / (name + ".part");
  std::ofstream file(half, std::ios::trunc | std::ios::binary);
  file << content << std::flush;
  std::error_code error;
  if (file) fs::rename(half, folder_ / name, error);
  if (!file || error) throw SetupError(fmt::format("cannot write {}", (folder_ / name).string()));
}

}  // namespace conformance
