// SPDX-License-Identifier: BSD-3-Clause
//
// run.json in the report folder: what a run was told. It is there before the first result, so a run that was
// ended by anything at all can go on.
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

// Of the folder that --resume names. Throws SetupError where there is no run that could go on, where it has
// ended, or where it is another suite's.
RunRecord read_run_record(const std::filesystem::path& report);

}  // namespace conformance
