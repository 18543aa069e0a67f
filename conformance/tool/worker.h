// SPDX-License-Identifier: BSD-3-Clause
//
// The process that holds the library under test, and the one that watches it.
//
// Code of that library can end its process at any time and with any exit status: an exit status alone is no
// verdict. So a command that loads it runs in a worker: this program, started again with the shim (and the
// mock) preloaded. The first process waits for the worker. It exits with the code that the worker reported,
// and with 2 and one clear line where the worker ended without.
#pragma once

#include <functional>

#include "conformance/harness/library.h"
#include "conformance/tool/options.h"

namespace conformance {

// Runs `action` in a worker and returns its exit code. In the worker it returns what `action` returns.
int in_worker(const RunOptions& options, char** argv, const std::function<int()>& action);

// Replaces this process by one with the shim preloaded, for a debugger: there is no worker and no watch.
// Returns where that has been done.
void preload_here(const RunOptions& options, char** argv);

// Loads the stack in a worker and exits from it: 0, or 2 after one line that says what is wrong.
int try_to_load(const RunOptions& options);

// open_library(); the watching process knows that it is under way, and ends it after 30 s.
Library load_library(const RunOptions& options);

// The last thing that main() does: reports the exit code where this is a worker.
void report_exit_code(int code);

}  // namespace conformance
