// SPDX-License-Identifier: BSD-3-Clause
//
// The options of the commands, and the paths of the installed parts.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace conformance {

struct RunOptions {
  std::string provider = "rxe";
  std::string device;   // empty: mock0, or the rxe machine's
  std::string address;  // empty: the device's first
  std::string librpma;  // a file; empty: the system's
  std::string rdma_core;
  std::string subject = "stack";
  std::string filter = "*";
  std::string profile = "listen";  // NAME or NAME/VERSION
  unsigned jobs = 0;               // experiments at a time; 0: one for each processor of where they run
  unsigned timeout = 0;            // seconds, of one experiment; 0: as the controls' speed demands
  uint64_t seed = 1;
  std::string shard;              // I/N: every N-th test, from the I-th on; empty: all
  bool complete = false;          // every pair of points, not those that the seed chooses
  bool allow_disruptive = false;  // conditions that disturb the whole host
  std::filesystem::path report = "report";
  std::filesystem::path baseline;  // empty: none
  std::filesystem::path waivers;   // empty: none
  bool resume = false;             // `report` holds an earlier part of this run
  std::string kernel;              // a kernel package for the rxe machine
  bool in_machine = false;        // set for the inner run in an rxe machine, whose report folder is temporary
  std::filesystem::path machine;  // state folder of a running rxe machine; empty: start one for this run
};

// The options, as words, that give a command the same stack and subject.
std::vector<std::string> surroundings_of(const RunOptions& options);
// The same as a user would type them, quoted for a shell: of a run in the machine, those of the run that
// started it.
std::string as_typed(const RunOptions& options);

// --jobs, or one for each processor.
unsigned jobs_of(const RunOptions& options);

// Exit codes of every command (DESIGN section 2).
enum ExitCode { kConforms = 0, kFinding = 1, kUsage = 2, kIncomplete = 3, kInvalid = 4 };

// The build tree mirrors the installed one: parts are found from where the program lies.
struct Parts {
  std::filesystem::path program;
  std::filesystem::path shim;
  std::filesystem::path mock;
  std::filesystem::path machine;    // the rxe machine's command
  std::filesystem::path reference;  // the reference listener, and the same with a defect
  std::filesystem::path defects;
  std::filesystem::path profiles;  // a folder
};
Parts find_parts();

}  // namespace conformance
