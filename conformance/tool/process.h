// SPDX-License-Identifier: BSD-3-Clause
//
// Starts other programs, waits for them and forwards signals to them.
#pragma once

#include <string>
#include <vector>

namespace conformance {

// Runs a program with this process's standard streams and returns its exit status (128 + N where signal N
// ended it; 127 where it could not be started). SIGINT, SIGTERM and SIGHUP
// are handed on to it, unless a terminal sent them to both; this process lives on to clean up.
int run_program(const std::vector<std::string>& arguments);

// Starts one whose output goes to the end of `log`, and returns its process id, or -1; wait_for_program()
// gives its exit status as run_program() does.
int start_program(const std::vector<std::string>& arguments, const std::string& log);
int wait_for_program(int pid);

// The standard output of a program, or nothing where it failed.
std::string output_of(const std::vector<std::string>& arguments);

}  // namespace conformance
