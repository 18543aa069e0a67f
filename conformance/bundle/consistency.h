// SPDX-License-Identifier: BSD-3-Clause
//
// Do the files of a report tell one story? Every verdict, count and flag is made again from the tests, the
// tests from the journal and the waivers, and the journal is held against the points.
#pragma once

#include <vector>

#include "conformance/bundle/content.h"

namespace conformance {

// All that the files can be asked without anything from outside.
std::vector<Check> check_content(const Content& content, const Members& files);

// Is the profile the one that everybody else knows by its name? `unknown` is set where nobody does.
Check check_profile(const Content& content, const std::vector<Profile>& known, bool& unknown);

// The parts of check_content() that are about what a run was told, began with and ran on.
Check check_start(const Content& content);
Check check_stack(const Content& content);
Check check_run_record(const Content& content);

// Those that are about the journals.
Check check_journal(const Content& content);
Check check_points(const Content& content);
Check check_kernel_log(const Content& content, const Members& files);

// A value as it stands in its document; not more of it than one can read.
std::string shown(const nlohmann::ordered_json& value);

// Where two documents differ, as JSON pointers below `where`; some, not all.
void add_differences(const nlohmann::ordered_json& said, const nlohmann::ordered_json& follows,
                     const std::string& where, std::vector<std::string>& differences);

}  // namespace conformance
