// SPDX-License-Identifier: BSD-3-Clause
//
// The gate of a run: its exit code where it is compared with a baseline.
#pragma once

#include <filesystem>

#include "conformance/report/result.h"
#include "conformance/tool/baseline.h"

namespace conformance {

// Prints what differs and returns the exit code. Known findings are what is expected; what was not concluded
// stays so. `file`: the baseline's, to name it.
int gate(const Baseline& baseline, const std::filesystem::path& file, const RunResult& run);

}  // namespace conformance
