// SPDX-License-Identifier: BSD-3-Clause
//
// For tests of what is made of reports: a report as a whole run on rxe with a clean suite leaves it, which no
// build of a work in progress can make.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/bundle/archive.h"
#include "conformance/catalogue/profile.h"
#include "conformance/report/result.h"

namespace conformance {

// Three tests, one of them the kernel's.
Profile small_profile();

// Every test of the profile passes on rxe, at one point.
RunResult passing_run(const Profile& profile);

// Gives a test a finding at its point.
void add_finding(RunResult& run, const std::string& test, const std::string& clause,
                 const std::string& module);

// A document of one waiver for that finding, and the finding waived by it.
std::string waivers_for(const std::string& clause, const std::string& module, const std::string& expires);

// The files that the run leaves. `waivers`: the document, or nothing; `run` is before they are applied.
Members files_of(RunResult run, const Profile& profile, const std::string& waivers = {});

void write_folder(const std::filesystem::path& folder, const Members& files);

}  // namespace conformance
