// SPDX-License-Identifier: BSD-3-Clause
//
// The whole command line as data: each command registers itself with its options and what it does. The man
// page and shell completion are derived from it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "conformance/tool/output.h"

namespace conformance {

using Names = std::function<std::vector<std::string>()>;

inline constexpr const char* kCommonOptions = "Output";  // the group of the options that every command has

struct CommandLine {
  CLI::App app;
  std::map<const CLI::App*, std::function<int()>> actions;  // each gives the exit code
  std::map<const CLI::Option*, Names> values;  // what completion offers for an option or argument
  OutputOptions output;
  char** argv = nullptr;

  CLI::App& add(const std::string& name, const std::string& what, std::function<int()> action);
  // An option with these values and no other.
  CLI::Option& choice(CLI::Option& option, const std::vector<std::string>& names);
  // An option that has values to offer, and takes others too.
  CLI::Option& offer(CLI::Option& option, Names names);
};

// All commands and options. Refers to `argv`, which a command uses to start the program again.
std::unique_ptr<CommandLine> build_command_line(char** argv);

// The two groups of commands: those that run the suite, and those that read what a run left.
void add_commands_that_test(CommandLine& line);
void add_commands_that_read(CommandLine& line);

// Parses and runs. Throws SetupError for what cannot be parsed.
int run_command_line(CommandLine& line, std::span<char* const> words);

// What may come next, one candidate a line: the last of `words` is what was typed of it.
std::vector<std::string> completions(const CommandLine& line, std::vector<std::string> words);

// Names that are completed, and suggested for mistyped ones.
std::vector<std::string> test_names();
std::vector<std::string> clause_names();
std::vector<std::string> point_names();  // of the suite's tables; sweeps make others

}  // namespace conformance
