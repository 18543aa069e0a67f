// SPDX-License-Identifier: BSD-3-Clause
//
// report.html: one file that a browser shows without a network. Text of a run is data in it: nothing of a
// device, a path, a log or a reason can become markup or script.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace conformance {

// `report`: report.json; `points`: the lines of points.jsonl. Fields may be missing: older reports can be
// shown too.
std::string to_html(const nlohmann::ordered_json& report, const std::vector<nlohmann::ordered_json>& points);

// The lines of a points.jsonl, as far as it was written.
std::vector<nlohmann::ordered_json> read_points(const std::filesystem::path& file);

}  // namespace conformance
