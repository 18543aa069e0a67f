// SPDX-License-Identifier: BSD-3-Clause
//
// Trials: runs of this program against a listener with known behaviour (fixtures/listeners). They test the
// suite.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "conformance/report/result.h"
#include "conformance/tool/options.h"
#include "fixtures/listeners/defects.h"

namespace conformance {

struct Trial {
  const listener::Defect* defect = nullptr;  // null: none. The listener is options.librpma, or ours
  std::string filter = "*";
  unsigned jobs = 1;
  uint64_t seed = 1;
  std::string shard = {};        // as --shard
  std::filesystem::path report;  // its folder
};

// Throws SetupError where the parts that trials need were not built.
void need_listeners();

// Runs `at_a_time` of them in parallel, and calls `ended` for each in order with its exit code. Trials judge
// the IUT alone: other modules may have findings with a correct listener too. Throws SetupError where one
// cannot be started.
void run_trials(const std::vector<Trial>& trials, unsigned at_a_time, const RunOptions& options,
                const std::function<void(const Trial&, int)>& ended);

// The report of a trial; nothing where it has none. The last line of its log mostly says why.
std::optional<RunResult> report_of(const Trial& trial);
std::string last_words_of(const Trial& trial);

// Runs a command of trials in an rxe machine, and fetches its report folder, with `document` in it.
int run_trials_in_machine(const std::string& verb, const RunOptions& options,
                          const std::vector<std::string>& more, const std::string& document);

}  // namespace conformance
