// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

#include "conformance/harness/library.h"
#include "conformance/report/html.h"
#include "conformance/report/report.h"
#include "conformance/suite/suite.h"

namespace conformance {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

namespace {

const Json kGoesOn = {{"goes_on", true}};

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw SetupError(fmt::format("cannot write to the report folder {}{}; name another with --report DIR",
                               folder.string(), why));
}

// The objects of a file, one a line, as far as it was written: its end may be what a run was killed at.
std::vector<Json> lines_of(const fs::path& file) {
  std::vector<Json> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || stream.eof()) break;  // a line that ends has a newline
    lines.push_back(std::move(json));
  }
  return lines;
}

std::string as_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string together(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

}  // namespace

Journal read_journal(const fs::path& folder) {
  Journal journal;
  std::set<std::string> done;
  for (Json& line : lines_of(folder / "results.jsonl")) {
    if (!line.contains("id")) {
      if (journal.header.is_null())
        journal.header = std::move(line);
      else
        ++journal.resumed;
      continue;
    }
    TestResult test = test_from_json(line);
    if (test.id != kKernelTest && done.insert(test.id).second) journal.tests.push_back(std::move(test));
  }
  for (const Json& line : lines_of(folder / "points.jsonl"))
    if (done.contains(line.value("test", ""))) journal.points.push_back(as_line(line));
  for (const Json& line : lines_of(folder / "kernel.jsonl"))
    journal.kernel_log.push_back(line.value("line", ""));
  return journal;
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

ReportFolder::ReportFolder(fs::path folder, bool resume) : folder_(std::move(folder)) {
  make_report_folder(folder_, {std::begin(kDocuments), std::end(kDocuments)});
  if (resume) {
    earlier_ = read_journal(folder_);
    // What was half written goes; should this fail, the old files are still there.
    std::string results;
    if (!earlier_.header.is_null()) results = as_line(earlier_.header);
    for (unsigned i = 0; i < earlier_.resumed; ++i) results += as_line(kGoesOn);
    for (const TestResult& test : earlier_.tests) results += as_line(to_json(test));
    write_whole(folder_ / "results.jsonl", results);
    write_whole(folder_ / "points.jsonl", together(earlier_.points));
    std::string kernel;
    for (const std::string& line : earlier_.kernel_log) kernel += as_line({{"line", line}});
    write_whole(folder_ / "kernel.jsonl", kernel);
  }
  const auto mode = resume ? std::ios::app : std::ios::trunc;
  journal_.open(folder_ / "results.jsonl", mode);
  points_.open(folder_ / "points.jsonl", mode);
  kernel_.open(folder_ / "kernel.jsonl", mode);
  if (!journal_ || !points_ || !kernel_) refuse(folder_, "");
}

void ReportFolder::begin(const Json& header) {
  if (earlier_.header.is_null()) return write(journal_, header);
  for (const auto& [key, value] : header.items())
    if (key != "started" && earlier_.header.value(key, Json()) != value)
      throw SetupError(fmt::format("the run in {} cannot go on: its {} was {}, now it is {}; start it anew",
                                   folder_.string(), key, earlier_.header.value(key, Json()).dump(),
                                   value.dump()));
  ++earlier_.resumed;
  write(journal_, kGoesOn);
}

void ReportFolder::add(const TestResult& test) {
  write(journal_, to_json(test));
}

void ReportFolder::add(const PointResult& point, const std::string& test) {
  Json line = {{"test", test}};
  line.update(to_json(point));
  write(points_, line);
}

void ReportFolder::add_kernel_line(const std::string& line) {
  write(kernel_, {{"line", line}});
}

void ReportFolder::write(std::ofstream& stream, const Json& line) const {
  errno = 0;
  stream << as_line(line) << std::flush;
  if (!stream)
    throw SetupError(fmt::format(
        "cannot write to {} any more ({}); make room and go on with 'rpma-conformance run --resume {}'",
        folder_.string(), errno != 0 ? std::strerror(errno) : "unknown reason", folder_.string()));
}

void ReportFolder::finish(const RunResult& run) {
  const Json report = to_json(run);
  write_whole(folder_ / "junit.xml", to_junit(run));
  write_whole(folder_ / "report.tap", to_tap(run));
  write_whole(folder_ / "report.html", to_html(report, read_points(folder_ / "points.jsonl")));
  write_whole(folder_ / "report.json", report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace conformance
