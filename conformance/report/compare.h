// SPDX-License-Identifier: BSD-3-Clause
//
// Two runs side by side: what got worse, better, appeared or vanished, by clause, finding and point.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conformance/report/recorded.h"

namespace conformance {

// Waived: from or to a waived verdict (waivers.h).
enum class ChangeKind { Worse, Better, Appeared, Vanished, Waived };
std::string_view name_of(ChangeKind kind);

struct Change {
  ChangeKind kind;
  std::string what;  // "clause LISTEN-RET-2", "point ...", one line
  bool regression = false;
};

// A regression: a clause or test that no longer passes or is no longer judged, a new finding, a point that no
// longer passes. What a waiver of the later run covers is not a regression.
//
// Points of a sweep over allocations or system calls are numbered, and the numbers shift between releases:
// they are matched by test, function, error, calling role and nearest exported symbol instead, and counted.
std::vector<Change> compare(const Recorded& before, const Recorded& after);

// Tests that have a verdict in the first run, but not in the second.
std::vector<std::string> tests_not_concluded(const RunResult& before, const RunResult& after);

}  // namespace conformance
