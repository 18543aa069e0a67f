// SPDX-License-Identifier: BSD-3-Clause
//
// rpma-conformance: the program.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <span>
#include <string_view>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/tool/command_line.h"
#include "conformance/tool/inherited.h"
#include "conformance/tool/options.h"
#include "conformance/tool/worker.h"

namespace conformance {
namespace {

int run(std::span<char* const> words) {
  const std::unique_ptr<CommandLine> line = build_command_line(const_cast<char**>(words.data()));
  // For the shells' completion scripts. Not a command of CLI11, which would interpret the words.
  if (words.size() > 1 && words[1] == std::string_view("complete")) {
    for (const std::string& name : completions(*line, {words.begin() + 2, words.end()}))
      fmt::print("{}\n", name);
    return kConforms;
  }
  return run_command_line(*line, words);
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  int code = conformance::kUsage;
  conformance::reset_inherited_state();
  try {
    code = conformance::run({argv, static_cast<size_t>(argc)});
  } catch (const conformance::SetupError& error) {
    fmt::print(stderr, "rpma-conformance: {}\n", conformance::as_one_line(error.what()));
  } catch (const std::exception& error) {
    // {fmt} throws where it cannot write; the message below reports that.
    if (std::ferror(stdout) == 0)
      fmt::print(stderr, "rpma-conformance: unexpected: {}; please report it with your command\n",
                 conformance::as_one_line(error.what()));
  }
  // Output that was lost is not an answer. The files in a report folder stay there.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr, "rpma-conformance: cannot write the output; free disk space or redirect it\n");
    code = conformance::kUsage;
  }
  conformance::report_exit_code(code);
  return code;
}
