// SPDX-License-Identifier: BSD-3-Clause
//
// SIGINT, SIGTERM or SIGHUP ends a run between two experiments; it reports the results so far.
#pragma once

#include <exception>
#include <string>

namespace conformance {

// Thrown by a wait for an experiment.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "interrupted"; }
};

// From now on the first such signal is recorded; a second one ends the process.
void watch_for_interruption();

// The signal's name; empty: there was none.
std::string interruption();

}  // namespace conformance
