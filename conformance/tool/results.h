// SPDX-License-Identifier: BSD-3-Clause
//
// Parts of a result that all ways of running the suite share, and how it is printed.
#pragma once

#include "conformance/report/result.h"
#include "conformance/tool/options.h"

namespace conformance {

// A result of nothing yet: which suite, asked for what.
RunResult result_for(const RunOptions& options);

// The test that watches the kernel's log during a run.
TestResult kernel_result(const Outcome& outcome);

// The result for the reader: the summary, or the report document. `options`: as to_text() takes them.
void print_run(const RunResult& run, const std::string& options);
void print_where_report_is(const std::filesystem::path& folder, bool can_go_on);

}  // namespace conformance
