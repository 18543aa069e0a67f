// SPDX-License-Identifier: BSD-3-Clause
//
// The gate of a run: its exit code where it is compared with a baseline.
#pragma once

#include <filesystem>

#include "conformance/report/result.h"
#include "conformance/tool/baseline.h"

namespace conformance {

// Prints the differences and returns the exit code. A test without a verdict makes the run incomplete, as
// without a baseline. `file`: the baseline's name.
int gate(const Baseline& baseline, const std::filesystem::path& file, const RunResult& run);

}  // namespace conformance
