// SPDX-License-Identifier: BSD-3-Clause
//
// The files of a report must be consistent. Every verdict, count and flag is made again from the tests, the
// tests from the journal and the waivers, and the journal is compared with the points.
#pragma once

#include <vector>

#include "conformance/bundle/content.h"

namespace conformance {

// All checks that need the files only.
std::vector<Check> check_content(const Content& content, const Members& files);

// Whether the profile is the known one of its name. `unknown`: there is none of that name.
Check check_profile(const Content& content, const std::vector<Profile>& known, bool& unknown);

// The parts of check_content() on options, header and stack.
Check check_start(const Content& content);
Check check_stack(const Content& content);
Check check_run_record(const Content& content);

// Those on the journals.
Check check_journal(const Content& content);
Check check_points(const Content& content);
Check check_kernel_log(const Content& content, const Members& files);

// A value as JSON, shortened.
std::string shown(const nlohmann::ordered_json& value);

// Some differences of two documents, as JSON pointers below `where`.
void add_differences(const nlohmann::ordered_json& said, const nlohmann::ordered_json& follows,
                     const std::string& where, std::vector<std::string>& differences);

}  // namespace conformance
