// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/recorded.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"

namespace conformance {

using Json = nlohmann::ordered_json;

RecordedPoint recorded_point(const Json& line) {
  return {line.at("test"),
          {line.at("point"), *verdict_named(line.at("verdict").get<std::string>()), line.value("reason", ""),
           line.value("module", ""), line.at("seconds"), line.value("function", ""), line.value("role", ""),
           line.value("at", "")}};
}

Recorded parse_recorded(std::string_view report, std::string_view points) {
  Recorded recorded;
  recorded.run = from_json(parse_document(report, kReportSchema));
  const bool whole = for_each_line(points, kPointLines, [&recorded](const Json& line) {
    recorded.points.push_back(recorded_point(line));
  });
  if (!whole)
    throw DocumentError(fmt::format("points.jsonl line {}: damaged or cut off", recorded.points.size() + 1));
  return recorded;
}

Recorded read_recorded(const std::filesystem::path& folder) {
  Recorded recorded;
  const std::filesystem::path file = folder / "report.json";
  if (is_absent(file)) {
    const bool begun = !is_absent(folder / "run.json");
    throw SetupError(
        begun ? fmt::format(
                    "the run in {0} is not finished; continue it with 'rpma-conformance run --resume {0}'",
                    folder.string())
              : fmt::format("no report in {}; name the report folder of a run", folder.string()));
  }
  constexpr std::string_view kHint = "name the complete report folder of a run";
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
