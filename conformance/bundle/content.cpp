// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/content.h"

#include <fmt/format.h>

#include "conformance/bundle/schemas.h"
#include "conformance/bundle/statement.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

// Reads documents and collects what is wrong with them.
class Documents {
 public:
  Documents(const Members& files, std::vector<std::string>& wrong) : files_(files), wrong_(wrong) {}

  std::optional<Json> one(const std::string& name, std::string_view schema) {
    const auto file = files_.find(name);
    if (file == files_.end()) return std::nullopt;
    try {
      Json document = parse_strictly(file->second);
      if (const std::string where = departure(schema, document); !where.empty())
        throw std::runtime_error(fmt::format("departs from {}.schema.json at {}", schema, where));
      return document;
    } catch (const std::exception& error) {
      complain(name, error);
      return std::nullopt;
    }
  }

  std::vector<Json> lines(const std::string& name, std::string_view schema) {
    const auto file = files_.find(name);
    if (file == files_.end()) return {};
    try {
      std::vector<Json> documents = parse_lines_strictly(file->second);
      for (size_t i = 0; i < documents.size(); ++i)
        if (const std::string where = departure(schema, documents[i]); !where.empty())
          throw std::runtime_error(
              fmt::format("departs from {}.schema.json in line {} at {}", schema, i + 1, where));
      return documents;
    } catch (const std::exception& error) {
      complain(name, error);
      return {};
    }
  }

 private:
  void complain(const std::string& name, const std::exception& error) {
    wrong_.push_back(fmt::format("{} {}", name, error.what()));
  }

  const Members& files_;
  std::vector<std::string>& wrong_;
};

PointLine point_from_json(const Json& line) {
  PointLine point;
  point.test = line.at("test");
  point.result.point = line.at("point");
  point.result.verdict = *verdict_named(line.at("verdict").get<std::string>());
  point.result.reason = line.value("reason", "");
  point.result.module = line.value("module", "");
  return point;
}

}  // namespace

std::optional<Content> read_content(const Members& files, Check& check) {
  for (const MemberName& file : kReportFiles)
    if (file.required && !files.contains(std::string(file.name)))
      check.wrong.push_back(fmt::format("{} is missing", file.name));
  Documents documents(files, check.wrong);
  Content content;
  const std::optional<Json> report = documents.one("report.json", kReportSchema);
  const std::vector<Json> results = documents.lines("results.jsonl", kResultSchema);
  const std::vector<Json> points = documents.lines("points.jsonl", kPointSchema);
  const std::vector<Json> kernel = documents.lines("kernel.jsonl", kKernelLineSchema);
  const std::optional<Json> profile = documents.one("profile.json", kProfileSchema);
  content.self_check = documents.one("self-check.json", kSelfCheckSchema);
  content.waivers = documents.one("waivers.json", kWaiversFileSchema);
  content.run_record = documents.one("run.json", kRunSchema);
  if (!check.wrong.empty() || !report || !profile) return std::nullopt;
  try {
    content.report = *report;
    content.run = from_json(*report);
    for (const Json& line : results) {
      if (line.contains("id")) content.results.push_back(test_from_json(line));
      if (line.contains("started")) content.headers.push_back(line);
    }
    for (const Json& line : points) content.points.push_back(point_from_json(line));
    if (files.contains("kernel.jsonl")) content.kernel_lines.emplace();
    for (const Json& line : kernel) content.kernel_lines->push_back(line.at("line"));
    content.profile = parse_profile(files.at("profile.json"));
  } catch (const std::exception& error) {
    check.wrong.emplace_back(error.what());
    return std::nullopt;
  }
  return content;
}

}  // namespace conformance
