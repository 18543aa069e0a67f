// SPDX-License-Identifier: BSD-3-Clause
//
// The requirement matrix: which tests bear on which clauses, and what a profile makes of both. Derived, never
// kept by hand.
#pragma once

#include <string>
#include <vector>

#include "conformance/catalogue/profile.h"

namespace conformance {

// One line for each hole: a clause without a test, a test without a clause, a test that judges what no
// catalogue has, and what the newest version of each profile and the suite do not agree on.
std::vector<std::string> matrix_gaps(const std::vector<Profile>& profiles);

// The document of a profile of everything that the suite has today.
std::string freeze_profile(const std::string& name, unsigned version);

}  // namespace conformance
