// SPDX-License-Identifier: BSD-3-Clause
//
// Starts other programs, waits for them and forwards signals to them.
#pragma once

#include <sys/types.h>

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace conformance {

// For execv(): points into `arguments`, with a null pointer at the end.
std::vector<char*> as_argv(const std::vector<std::string>& arguments);

// Runs `child` in a new process, and `meanwhile` (may be empty) in this one. Returns
// the child's status as waitpid() does; that of exit status 127 where there was no process or `child`
// returned. SIGINT, SIGTERM and SIGHUP are forwarded to the child, unless a terminal sent them to both.
int run_child(const std::function<void()>& child, const std::function<void(pid_t)>& meanwhile);

// Runs a program with this process's standard streams, as run_child() does, and returns its exit status (128
// + N where signal N ended it; 127 where it could not be started).
int run_program(const std::vector<std::string>& arguments);

// Starts one whose output goes to the end of `log`, and returns its process id, or -1; wait_for_program()
// gives its exit status as run_program() does.
int start_program(const std::vector<std::string>& arguments, const std::string& log);
int wait_for_program(int pid);

// The standard output of a program, or nothing where it failed.
std::string output_of(const std::vector<std::string>& arguments);

// The last line of a program's output that is not empty, or nothing.
std::string last_line_of(std::istream& output);

}  // namespace conformance
