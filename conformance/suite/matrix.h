// SPDX-License-Identifier: BSD-3-Clause
//
// The requirement matrix: which tests bear on which clauses, and what a profile makes of both. Derived, never
// kept by hand.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalogue/profile.h"
#include "conformance/report/recorded.h"

namespace conformance {

// One line for each hole: a clause without a test, a test without a clause, a test that judges what no
// catalogue has, and what the newest version of each profile and the suite do not agree on.
std::vector<std::string> matrix_gaps(const std::vector<Profile>& profiles);

// The tests that saw a finding of a clause on which they do not bear: what they do showed it all the same.
std::vector<std::string> tests_that_saw_besides(const RunResult& run, std::string_view clause);

// The points of a test of which the outcome says something of a clause: where the call crashed or hung, it
// does so only of what it broke, and where nothing was concluded of nothing. `bears`: whether the test does
// on the clause; of one that does not, what it saw alone counts.
size_t points_that_say(const Recorded& recorded, const std::string& test, std::string_view clause,
                       bool bears);

// The document of a profile of everything that the suite has today.
std::string freeze_profile(const std::string& name, unsigned version);

}  // namespace conformance
