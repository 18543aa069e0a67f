// SPDX-License-Identifier: BSD-3-Clause
//
// What the benchmarks' programs do with their options.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

namespace conformance {

// Nothing, or the exit code with which the program ends at once: 0 after --help, 2 where it was called
// wrongly.
inline std::optional<int> exit_code_of_parsing(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
}

}  // namespace conformance
