// SPDX-License-Identifier: BSD-3-Clause
//
// The files of a report as documents, each valid by its published schema.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conformance/bundle/archive.h"
#include "conformance/catalogue/profile.h"
#include "conformance/report/recorded.h"

namespace conformance {

// One thing that is checked.
struct Check {
  std::string what;                     // "profile"
  std::vector<std::string> wrong = {};  // empty: nothing
  std::string note = {};                // for readers
  bool was_made = true;                 // false: not possible here; the note says why
};

struct Content {
  nlohmann::ordered_json report;
  RunResult run;
  std::vector<nlohmann::ordered_json> headers;  // of results.jsonl
  unsigned resumed = 0;                         // how often the run was resumed, by results.jsonl
  std::vector<TestResult> results;              // of results.jsonl: before waivers
  std::vector<RecordedPoint> points;
  std::vector<nlohmann::ordered_json> point_lines;       // the same, as they stand in points.jsonl
  std::optional<std::vector<std::string>> kernel_lines;  // of kernel.jsonl
  Profile profile;
  std::optional<nlohmann::ordered_json> waivers;
  std::optional<nlohmann::ordered_json> run_record;
  std::optional<nlohmann::ordered_json> self_check;
};

// Reads the documents among the files. Returns nothing where one is missing or breaks its schema; `check`
// says which.
std::optional<Content> read_content(const Members& files, Check& check);

}  // namespace conformance
