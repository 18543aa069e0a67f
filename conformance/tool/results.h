// SPDX-License-Identifier: BSD-3-Clause
//
// What every way of running the suite puts into its result by itself.
#pragma once

#include "conformance/report/result.h"
#include "conformance/tool/options.h"

namespace conformance {

// A result of nothing yet: which suite, asked for what.
RunResult result_for(const RunOptions& options);

// The test that watches the kernel's log during a run.
TestResult kernel_result(const Outcome& outcome);

}  // namespace conformance
