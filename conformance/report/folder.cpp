// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/half_file.h"
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

std::string as_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

Journal parse_journal(std::string_view results, std::string_view points, std::string_view kernel) {
  Journal journal;
  std::set<std::string> done;
  for_each_line(results, kResultLines, [&](const Json& line) {
    if (line.contains("id")) {
      TestResult test = test_from_json(line);
      if (test.id != kKernelTest && done.insert(test.id).second) journal.tests.push_back(std::move(test));
    } else if (!journal.header) {
      journal.header = std::make_shared<const Json>(line);
    } else {
      ++journal.resumed;
    }
  });
  for_each_line(points, kPointLines, [&](const Json& line) {
    if (done.contains(line.at("test"))) journal.points.push_back(as_line(line));
  });
  for_each_line(kernel, kKernelLines,
                [&](const Json& line) { journal.kernel_log.push_back(line.at("line")); });
  return journal;
}

Journal read_journal(const fs::path& folder) {
  constexpr Expected kExpected = {.what = "report of a run to resume",
                                  .hint = "start a new run, in another folder",
                                  .most_bytes = kMostJournalBytes,
                                  .links = false};
  const auto content = [&](const char* name) {
    return is_absent(folder / name) ? std::string() : read_file(folder / name, kExpected);
  };
  try {
    return parse_journal(content("results.jsonl"), content("points.jsonl"), content("kernel.jsonl"));
  } catch (const DocumentError& error) {
    refuse_document(folder, kExpected, error.what());
  }
}

JournalText text_of(const Journal& journal) {
  JournalText text;
  if (journal.header) text.results = as_line(*journal.header);
  for (unsigned i = 0; i < journal.resumed; ++i) text.results += as_line(kGoesOn);
  for (const TestResult& test : journal.tests) text.results += as_line(to_json(test));
  for (const std::string& line : journal.points) text.points += line;
  for (const std::string& line : journal.kernel_log) text.kernel += as_line({{"line", line}});
  return text;
}

void make_report_folder(const fs::path& folder, const std::vector<std::string>& documents) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) refuse(folder, ": " + error.message());
  for (const std::string& name : documents) {
    fs::remove(folder / name, error);
    if (error) refuse(folder, fmt::format(": {} there: {}", name, error.message()));
  }
}

void clear_report_folder(const fs::path& folder, bool resume) {
  make_report_folder(folder, {std::begin(kDocuments), std::end(kDocuments)});
  if (resume) return;
  make_report_folder(folder, {std::begin(kJournals), std::end(kJournals)});
  make_report_folder(folder, {std::begin(kBeside), std::end(kBeside)});
}

void add_to_kernel_log(const fs::path& folder, std::string log) {
  const fs::path file = folder / kKernelLog;
  std::string earlier;
  if (!is_absent(file))
    earlier = read_file(file, {.what = "kernel log",
                               .hint = "start a new run, in another folder",
                               .most_bytes = kMostJournalBytes,
                               .links = false});
  // The machine may have run already during the earlier part.
  if (!log.starts_with(earlier)) log.insert(0, earlier);
  if (log.empty()) return;
  write_whole(file, log, how_to_go_on(folder));
}

std::string how_to_go_on(const fs::path& folder) {
  return fmt::format("free disk space and continue with 'rpma-conformance run --resume {}'", folder.string());
}

ReportFolder::ReportFolder(fs::path folder, bool resume, std::string hint)
    : folder_(std::move(folder)), hint_(hint.empty() ? how_to_go_on(folder_) : std::move(hint)) {
  if (resume) earlier_ = read_journal(folder_);
  clear_report_folder(folder_, resume);
  // Drops damaged lines. If this fails, the old files are still there.
  const JournalText text = text_of(earlier_);
  const std::string_view otherwise = resume ? std::string_view(hint_) : kOtherFolder;
  write_whole(folder_ / "results.jsonl", text.results, otherwise);
  write_whole(folder_ / "points.jsonl", text.points, otherwise);
  write_whole(folder_ / "kernel.jsonl", text.kernel, otherwise);
  journal_.open(folder_ / "results.jsonl", std::ios::app);
  points_.open(folder_ / "points.jsonl", std::ios::app);
  kernel_.open(folder_ / "kernel.jsonl", std::ios::app);
  if (!journal_ || !points_ || !kernel_) refuse(folder_, "");
}

void ReportFolder::begin(const Json& header) {
  if (!earlier_.header) return write(journal_, header);
  for (const auto& [key, value] : header.items())
    if (const Json earlier = earlier_.header->value(key, Json()); key != "started" && earlier != value)
      throw SetupError(
          fmt::format("the run in {} cannot be resumed: {} was {}, now it is {}; start a new run",
                      folder_.string(), key, earlier.dump(), value.dump()));
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
    throw SetupError(fmt::format("cannot write to {} ({}); {}", folder_.string(),
                                 errno != 0 ? std::strerror(errno) : "unknown reason", hint_));
}

void ReportFolder::keep(const char* name, const std::string& content) const {
  write_whole(folder_ / name, content, hint_);
}

void ReportFolder::finish(const RunResult& run) {
  const Json report = to_json(run);
  keep("junit.xml", to_junit(run));
  keep("report.tap", to_tap(run));
  keep("report.html", to_html(report, read_points(folder_ / "points.jsonl")));
  keep("report.json", report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace conformance
