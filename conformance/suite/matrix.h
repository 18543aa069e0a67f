// SPDX-License-Identifier: BSD-3-Clause
//
// The requirement matrix: which tests judge which clauses, and which of both a profile has. It is computed
// from the suite.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalogue/profile.h"
#include "conformance/report/recorded.h"

namespace conformance {

// One line for each gap: a clause without a test, a test without a clause, a test of a clause that is not in
// the catalogue, and each difference between the suite and the newest version of a profile.
std::vector<std::string> matrix_gaps(const std::vector<Profile>& profiles);

// The tests with a finding of a clause that they do not judge.
std::vector<std::string> tests_that_saw_besides(const RunResult& run, std::string_view clause);

// The number of points of a test with a verdict on a clause. A point that crashed or hung has a verdict only
// on the clause that it broke; a point without a conclusion has none. `bears`: the test judges the clause; if
// it does not, only findings count.
size_t points_that_say(const Recorded& recorded, const std::string& test, std::string_view clause,
                       bool bears);

// The document of a profile of everything that the suite has today.
std::string freeze_profile(const std::string& name, unsigned version);

}  // namespace conformance
