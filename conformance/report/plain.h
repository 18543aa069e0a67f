// SPDX-License-Identifier: BSD-3-Clause
//
// What the views for other programs (JUnit, TAP) have in common: text from a stack made harmless, the command
// that shows a point again, and how a run is told that did not come to its end.
#pragma once

#include <string>
#include <string_view>

#include "conformance/report/result.h"

namespace conformance {

// The text with a question mark for each character that is none: what is no UTF-8, controls other than
// newline, line separators that only some readers know, code points that XML forbids.
std::string printable(std::string_view text);

// One word of a shell's command line, quoted where it must be.
std::string shell_quoted(std::string_view word);

// The command that shows what a clause came to; empty: there is none.
std::string again_command(const RunResult& run, const ClauseResult& clause);

// Why the run did not come to its end; empty: it did.
std::string unfinished_because(const RunResult& run);

}  // namespace conformance
