// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/recorded.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

}  // namespace

RecordedPoint recorded_point(const Json& line) {
  const Node json(line);
  const std::optional<Verdict> verdict = verdict_named(json.at("verdict").text());
  if (!verdict) json.at("verdict").refuse("is no verdict");
  return {json.at("test").text(),
          {json.at("point").text(), *verdict, json.text_or("reason"), json.text_or("module"),
           json.at("seconds").number(), json.text_or("function"), json.text_or("role"), json.text_or("at")}};
}

Recorded parse_recorded(std::string_view report, std::string_view points) {
  Recorded recorded;
  recorded.run = from_json(parse_document(report, kReportFormat));
  size_t number = 0;
  const bool whole = for_each_line(points, [&](const Json& line) {
    ++number;
    try {
      recorded.points.push_back(recorded_point(line));
    } catch (const DocumentError& error) {
      throw DocumentError(fmt::format("line {} of points.jsonl: {}", number, error.what()));
    }
  });
  if (!whole) throw DocumentError(fmt::format("line {} of points.jsonl is damaged or cut off", number + 1));
  return recorded;
}

Recorded read_recorded(const std::filesystem::path& folder) {
  Recorded recorded;
  const std::filesystem::path file = folder / "report.json";
  if (is_absent(file)) {
    const bool begun = !is_absent(folder / "run.json");
    throw SetupError(
        begun ? fmt::format("the run in {0} has not ended; 'rpma-conformance run --resume {0}' goes "
                            "on with it",
                            folder.string())
              : fmt::format("there is no report in {}; name a run's report folder", folder.string()));
  }
  constexpr std::string_view kHint = "name a run's whole report folder";
  const Expected report{.what = "report", .schema = "", .hint = kHint};
  const Expected points{
      .what = "list of points", .schema = "", .hint = kHint, .most_bytes = kMostJournalBytes};
  const std::string document = read_file(file, report);
  const std::string lines = read_file(folder / "points.jsonl", points);
  try {
    recorded = parse_recorded(document, lines);
  } catch (const DocumentError& error) {
    refuse_document(folder, report, error.what());
  }
  recorded.folder = folder;
  return recorded;
}

}  // namespace conformance
