// SPDX-License-Identifier: BSD-3-Clause
//
// Reads a point id back: the experiment that Experiment::point() named.
#pragma once

#include <string>

#include "conformance/harness/experiment.h"

namespace conformance {

// Throws std::invalid_argument with one clear line: which part is wrong, and what would be right.
Experiment experiment_at(const std::string& point);

}  // namespace conformance
