// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the man pages that the program knows best: its options, clauses, rulings and functions.
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>

namespace conformance {

// Prints a page's Markdown with each placeholder line replaced by the part that it names:
//
//   @OPTIONS COMMAND@   the options of a command
//   @CLAUSES@           the clauses that the suite judges
//   @RULINGS@           how the suite decides where the man pages leave something open
//   @FUNCTIONS@         the functions that a rule can make fail, with their errors
//
// Returns the exit code. Throws SetupError for a page that cannot be read and for an unknown placeholder.
int print_page(const CLI::App& app, const std::filesystem::path& page);

}  // namespace conformance
