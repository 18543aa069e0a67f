// SPDX-License-Identifier: BSD-3-Clause
//
// Parses a point id, as Experiment::point() returns it.
#pragma once

#include <string>

#include "conformance/harness/experiment.h"

namespace conformance {

// Throws std::invalid_argument with one line: which part is wrong, and what to give instead.
Experiment experiment_at(const std::string& point);

}  // namespace conformance
