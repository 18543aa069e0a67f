// SPDX-License-Identifier: BSD-3-Clause
//
// How the benchmark programs parse their options.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace conformance {

// Nothing, or the exit code with which the program must end: 0 after --help, 2 for wrong usage.
inline std::optional<int> exit_code_of_parsing(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
}

}  // namespace conformance
