// SPDX-License-Identifier: BSD-3-Clause
//
// A run as its report folder recorded it.
#pragma once

#include <filesystem>
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

// Throws DocumentError.
RecordedPoint recorded_point(const nlohmann::ordered_json& line);

struct Recorded {
  std::filesystem::path folder;
  RunResult run;                      // report.json
  std::vector<RecordedPoint> points;  // points.jsonl
};

// Throws SetupError with one clear line where the folder holds no report, or one of a run that has not ended.
Recorded read_recorded(const std::filesystem::path& folder);

// The same of the content of report.json and points.jsonl, but throws DocumentError.
Recorded parse_recorded(std::string_view report, std::string_view points);

}  // namespace conformance
