// SPDX-License-Identifier: BSD-3-Clause
//
// The files of a report as documents: each of its published schema, and each telling the same story as the others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conformance/bundle/archive.h"
#include "conformance/bundle/strict_json.h"
#include "conformance/catalogue/profile.h"
#include "conformance/report/result.h"

namespace conformance {

// One thing that was looked at.
struct Check {
  std::string what;                     // "profile"
  std::vector<std::string> wrong = {};  // empty: it holds
  std::string note = {};                // what a reader should know all the same
};

struct PointLine {
  std::string test;
  PointResult result;
};

struct Content {
  Json report;
  RunResult run;
  std::vector<TestResult> results;  // before waivers
  std::vector<PointLine> points;
  Profile profile;
  std::optional<Json> waivers;
  std::optional<Json> run_record;
};

// Reads the documents among the files. Without a value where one of them is missing or is not of its schema: `check`
// says which.
std::optional<Content> read_content(const Members& files, Check& check);

// The checks that the files can be put to without anything from outside.
std::vector<Check> check_content(const Content& content, const Members& files);

// Is it the profile that everybody else knows by this name?
Check check_profile(const Content& content, const std::vector<Profile>& known);

}  // namespace conformance
