// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/content.h"

#include <fmt/format.h>

#include "conformance/bundle/schemas.h"
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
      Json document = parse_document(file->second);
      if (const std::string where = departure(schema, document); !where.empty())
        throw std::runtime_error(fmt::format("it departs from {}.schema.json at {}", schema, where));
      return document;
    } catch (const std::exception& error) {
      complain(name, error.what());
      return std::nullopt;
    }
  }

  // One document a line, each line ended. Each is handed on before the next is read.
  template <typename Take>
  void lines(const std::string& name, std::string_view schema, const Take& take) {
    const auto file = files_.find(name);
    if (file == files_.end()) return;
    std::string_view left = file->second;
    for (size_t number = 1; !left.empty(); ++number) {
      const size_t end = left.find('\n');
      try {
        if (end == std::string_view::npos) throw std::runtime_error("it is cut off");
        const Json document = parse_document(left.substr(0, end));
        if (const std::string where = departure(schema, document); !where.empty())
          throw std::runtime_error(fmt::format("it departs from {}.schema.json at {}", schema, where));
        take(document);
      } catch (const std::exception& error) {
        return complain(name, fmt::format("line {}: {}", number, error.what()));
      }
      left.remove_prefix(end + 1);
    }
  }

 private:
  void complain(const std::string& name, const std::string& why) {
    wrong_.push_back(fmt::format("{}: {}", name, why));
  }

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
  documents.lines("results.jsonl", kResultSchema, [&content](const Json& line) {
    if (line.contains("id"))
      content.results.push_back(test_from_json(line));
    else if (line.contains("goes_on"))
      ++content.resumed;
    else
      content.headers.push_back(line);
  });
  documents.lines("points.jsonl", kPointSchema, [&content](const Json& line) {
    content.points.push_back(recorded_point(line));
    content.point_lines.push_back(line);
  });
  if (files.contains("kernel.jsonl")) content.kernel_lines.emplace();
  documents.lines("kernel.jsonl", kKernelLineSchema,
                  [&content](const Json& line) { content.kernel_lines->push_back(line.at("line")); });
  const std::optional<Json> profile = documents.one("profile.json", kProfileSchema);
  content.self_check = documents.one("self-check.json", kSelfCheckSchema);
  content.waivers = documents.one("waivers.json", kWaiversFileSchema);
  content.run_record = documents.one("run.json", kRunSchema);
  if (!check.wrong.empty() || !report || !profile) return std::nullopt;
  try {
    content.report = *report;
    content.run = from_json(*report);
    content.profile = parse_profile(files.at("profile.json"));
  } catch (const std::exception& error) {
    check.wrong.emplace_back(error.what());
    return std::nullopt;
  }
  return content;
}

}  // namespace conformance
