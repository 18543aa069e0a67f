// SPDX-License-Identifier: BSD-3-Clause
//
// A run as its report folder recorded it.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/result.h"

namespace conformance {

// A line of points.jsonl.
struct RecordedPoint {
  std::string test;
  PointResult result;
};

// `line` is valid by the schema of kPointLines.
RecordedPoint recorded_point(const nlohmann::ordered_json& line);

struct Recorded {
  std::filesystem::path folder;
  RunResult run;                      // report.json
  std::vector<RecordedPoint> points;  // points.jsonl
};

// Throws SetupError with one clear line where the folder has no report of a finished run.
Recorded read_recorded(const std::filesystem::path& folder);

// The same of the content of report.json and points.jsonl, but throws DocumentError.
Recorded parse_recorded(std::string_view report, std::string_view points);

}  // namespace conformance
