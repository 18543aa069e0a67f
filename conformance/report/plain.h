// SPDX-License-Identifier: BSD-3-Clause
//
// Shared by the views: making foreign text harmless, the command that reproduces a point, and why a run is
// unfinished.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "conformance/report/document.h"
#include "conformance/report/result.h"

namespace conformance {

// Lines for a terminal. Foreign text must not move the cursor, begin a line, or change the writing direction.
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

// The text with a question mark for each control other than newline, line separator or code point that XML
// forbids, and U+FFFD for bytes that are not UTF-8.
std::string printable(std::string_view text);

// One word of a shell command, quoted if necessary.
std::string shell_quoted(std::string_view word);

// The command that reproduces the result of a clause; empty: there is none.
std::string again_command(const RunResult& run, const ClauseResult& clause);

// Why the run is unfinished; empty: it is finished.
std::string unfinished_because(const RunResult& run);

}  // namespace conformance
