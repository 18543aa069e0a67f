// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/content.h"

#include <fmt/format.h>

#include "conformance/bundle/statement.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

// Reads documents and collects what is wrong with them.
class Documents {
 public:
  Documents(const Members& files, std::vector<std::string>& wrong) : files_(files), wrong_(wrong) {}

  std::optional<Json> one(const std::string& name, std::string_view schema) {
    const auto file = files_.find(name);
    if (file == files_.end()) return std::nullopt;
    try {
      return parse_document(file->second, schema);
    } catch (const DocumentError& error) {
      wrong_.push_back(fmt::format("{}: {}", name, error.what()));
      return std::nullopt;
    }
  }

  // Each line is handed on before the next is read.
  template <typename Take>
  void lines(const LineSchema& lines, const Take& take) {
    const auto file = files_.find(lines.file);
    if (file == files_.end()) return;
    size_t taken = 0;
    const auto count = [&](const Json& line) {
      take(line);
      ++taken;
    };
    try {
      if (!for_each_line(file->second, lines, count))
        wrong_.push_back(fmt::format("{} line {}: damaged or cut off", lines.file, taken + 1));
    } catch (const DocumentError& error) {
      wrong_.emplace_back(error.what());
    }
  }

 private:
  const Members& files_;
  std::vector<std::string>& wrong_;
};

}  // namespace

std::optional<Content> read_content(const Members& files, Check& check) {
  for (const MemberName& file : kReportFiles)
    if (file.required && !files.contains(std::string(file.name)))
      check.wrong.push_back(fmt::format("{} is missing", file.name));
  Documents documents(files, check.wrong);
  Content content;
  const std::optional<Json> report = documents.one("report.json", kReportSchema);
  documents.lines(kResultLines, [&content](const Json& line) {
    if (line.contains("id"))
      content.results.push_back(test_from_json(line));
    else if (line.contains("goes_on"))
      ++content.resumed;
    else
      content.headers.push_back(line);
  });
  documents.lines(kPointLines, [&content](const Json& line) {
    content.points.push_back(recorded_point(line));
    content.point_lines.push_back(line);
  });
  if (files.contains("kernel.jsonl")) content.kernel_lines.emplace();
  documents.lines(kKernelLines,
                  [&content](const Json& line) { content.kernel_lines->push_back(line.at("line")); });
  const std::optional<Json> profile = documents.one("profile.json", kProfileSchema);
  content.self_check = documents.one("self-check.json", kSelfCheckSchema);
  content.waivers = documents.one("waivers.json", kWaiversSchema);
  content.run_record = documents.one("run.json", kRunSchema);
  if (!check.wrong.empty() || !report || !profile) return std::nullopt;
  try {
    content.report = *report;
    content.run = from_json(*report);
    content.profile = parse_profile(files.at("profile.json"));
  } catch (const DocumentError& error) {
    check.wrong.emplace_back(error.what());
    return std::nullopt;
  }
  return content;
}

}  // namespace conformance
