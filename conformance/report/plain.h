// SPDX-License-Identifier: BSD-3-Clause
//
// What the views have in common: text from a stack made harmless, for programs and for people, the command
// that shows a point again, and how a run is told that did not come to its end.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "conformance/report/document.h"
#include "conformance/report/result.h"

namespace conformance {

// Lines for a person at a terminal. What came from somebody else must not move the cursor, begin a line, or
// turn the direction of writing.
class Lines {
 public:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    text_ += as_one_line(fmt::format(format, std::forward<Values>(values)...)) + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

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
