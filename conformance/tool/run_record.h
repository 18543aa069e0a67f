// SPDX-License-Identifier: BSD-3-Clause
//
// run.json in the report folder: the options of a run. It is written before the first result, so any
// interrupted run can be resumed.
#pragma once

#include <filesystem>
#include <string>

#include "conformance/tool/options.h"

namespace conformance {

struct RunRecord {
  RunOptions options;
  // Of a run in an rxe machine that this run started, while it lasts: the machine's state folder, and the
  // report folder in there.
  std::filesystem::path machine;
  std::filesystem::path inner_report;
};

// Throws SetupError where it cannot be written.
void write_run_record(const RunRecord& record);

// From the folder that --resume names. Throws SetupError where there is no run, where it has ended, or where
// it is of another suite.
RunRecord read_run_record(const std::filesystem::path& report);

}  // namespace conformance
