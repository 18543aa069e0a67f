// SPDX-License-Identifier: BSD-3-Clause
//
// The commands. Each returns the exit code; a SetupError that leaves one ends the program with 2.
#pragma once

#include "conformance/tool/options.h"

namespace conformance {

// Here, in this process, on the named provider. Needs the shim in front: see with_preload().
int run_here(const RunOptions& options);

// On an rxe machine: starts one (or uses options.machine), runs the same command in it, fetches the report.
int run_in_machine(const RunOptions& options);

struct ListOptions {
  bool json = false;
  bool check = false;  // only: do the catalogue and the suite cover each other?
  std::string provider;
};
int list(const ListOptions& options);

// What this host can run, what is missing, and the command that mends it.
int doctor(const std::string& provider);

// Starts this program again with the shim (and the mock) preloaded, unless that has happened already. Returns
// where the shim is in front.
void with_preload(const RunOptions& options, char** argv);

}  // namespace conformance
