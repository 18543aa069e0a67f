// SPDX-License-Identifier: BSD-3-Clause
//
// A run that somebody ends early (SIGINT, SIGTERM, SIGHUP) stops between two experiments, with what it has.
#pragma once

#include <exception>
#include <string>

namespace conformance {

// Thrown where experiments are waited for.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

// From now on the first such signal is noted; a second one ends the process as it always did.
void watch_for_interruption();

// The signal's name; empty: none came.
std::string interruption();

}  // namespace conformance
