// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
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

// Takes the lines of a file as far as it was written.
void take_lines(std::string_view bytes, const char* name, const std::function<void(const Node&)>& take) {
  size_t number = 0;
  for_each_line(bytes, [&](const Json& line) {
    ++number;
    try {
      take(Node(line));
    } catch (const DocumentError& error) {
      throw DocumentError(fmt::format("line {} of {}: {}", number, name, error.what()));
    }
  });
}

std::string as_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

Journal parse_journal(std::string_view results, std::string_view points, std::string_view kernel) {
  Journal journal;
  std::set<std::string> done;
  take_lines(results, "results.jsonl", [&](const Node& line) {
    if (line.has("id")) {
      TestResult test = test_from_json(line.json());
      if (test.id != kKernelTest && done.insert(test.id).second) journal.tests.push_back(std::move(test));
    } else if (journal.header.is_null()) {
      for (const auto& [key, value] : line.members()) static_cast<void>(value.text());
      journal.header = line.json();
    } else {
      ++journal.resumed;
    }
  });
  take_lines(points, "points.jsonl", [&](const Node& line) {
    if (done.contains(line.at("test").text())) journal.points.push_back(as_line(line.json()));
  });
  take_lines(kernel, "kernel.jsonl",
             [&](const Node& line) { journal.kernel_log.push_back(line.at("line").text()); });
  return journal;
}

Journal read_journal(const fs::path& folder) {
  constexpr Expected kExpected = {.what = "report of a run that can go on",
                                  .remedy = "start the run anew, in another folder",
                                  .most_bytes = kMostJournalBytes};
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
  if (!journal.header.is_null()) text.results = as_line(journal.header);
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
  for (const std::string& name : documents) fs::remove(folder / name, error);
}

void write_whole(const fs::path& file, const std::string& content) {
  fs::path half = file;
  half += ".part";
  std::error_code error;
  fs::remove(half, error);  // a link there would lead the content elsewhere
  std::ofstream stream(half, std::ios::trunc | std::ios::binary);
  stream << content << std::flush;
  if (stream) fs::rename(half, file, error);
  if (!stream || error) throw SetupError(fmt::format("cannot write {}", file.string()));
}

ReportFolder::ReportFolder(fs::path folder, bool resume) : folder_(std::move(folder)) {
  if (resume) earlier_ = read_journal(folder_);
  make_report_folder(folder_, {std::begin(kDocuments), std::end(kDocuments)});
  if (resume) {
    // What was half written goes; should this fail, the old files are still there.
    const JournalText text = text_of(earlier_);
    write_whole(folder_ / "results.jsonl", text.results);
    write_whole(folder_ / "points.jsonl", text.points);
    write_whole(folder_ / "kernel.jsonl", text.kernel);
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
