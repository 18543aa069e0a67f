// SPDX-License-Identifier: BSD-3-Clause
//
// Trials: runs of this program against a listener of which is known what it does (fixtures/listeners), so
// that the run itself is what is judged.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "conformance/report/result.h"
#include "conformance/tool/options.h"
#include "fixtures/listeners/defects.h"

namespace conformance {

struct Trial {
  const listener::Defect* defect = nullptr;  // null: none. The listener is options.librpma, or of our own
  std::string filter = "*";
  unsigned jobs = 1;
  uint64_t seed = 1;
  std::string shard = {};        // as --shard
  std::filesystem::path report;  // its folder
  int pid = -1;
};

// Throws SetupError where the parts that trials need were not built.
void need_listeners();

// Starts it, with what it prints at the end of `log`; throws SetupError where it cannot.
void start(Trial& trial, const RunOptions& options, const std::filesystem::path& log);

// Waits for its end and returns its exit code. It judges the IUT alone: others may have findings that a
// right listener does not mend.
int await(const Trial& trial);

RunResult report_of(const Trial& trial);

// Runs a command of trials in an rxe machine, and fetches `document` from its report folder.
int run_trials_in_machine(const std::string& verb, const RunOptions& options,
                          const std::vector<std::string>& more, const std::string& document);

}  // namespace conformance
