// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

PointResult point_from_json(const Node& json) {
  const std::optional<Verdict> verdict = verdict_named(json.at("verdict").text());
  if (!verdict) json.at("verdict").refuse("is no verdict");
  return {json.at("point").text(),     *verdict,
          json.text_or("reason"),      json.text_or("module"),
          json.at("seconds").number(), json.text_or("function"),
          json.text_or("role"),        json.text_or("at")};
}

}  // namespace

Recorded read_recorded(const std::filesystem::path& folder) {
  Recorded recorded;
  recorded.folder = folder;
  std::filesystem::path file = folder / "report.json";
  if (is_absent(file)) {
    const bool begun = !is_absent(folder / "run.json");
    throw SetupError(
        begun ? fmt::format("the run in {0} has not ended; 'rpma-conformance run --resume {0}' goes "
                            "on with it",
                            folder.string())
              : fmt::format("there is no report in {}; name a run's report folder", folder.string()));
  }
  const Expected report{"report", "rpma-conformance/1", "name a run's report folder"};
  try {
    recorded.run = from_json(read_document(file, report));
    file = folder / "points.jsonl";
    const std::string lines = read_file(file, {"list of points", "", "name a whole report folder"});
    for (size_t begin = 0, end = 0; begin < lines.size(); begin = end + 1) {
      end = std::min(lines.find('\n', begin), lines.size());
      const Json json = parse_document(std::string_view(lines).substr(begin, end - begin));
      recorded.points.push_back({Node(json).at("test").text(), point_from_json(Node(json))});
    }
  } catch (const DocumentError& error) {
    throw SetupError(fmt::format("{} cannot be used: {}", file.string(), error.what()));
  }
  return recorded;
}

}  // namespace conformance
