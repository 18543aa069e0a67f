// SPDX-License-Identifier: BSD-3-Clause
//
// `replay POINT --provider rxe` without a device, in an rxe machine; and --under: a debugger around either.
#include <fmt/format.h>

#include <iterator>
#include <sstream>

#include "conformance/harness/library.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/machine.h"
#include "conformance/tool/process.h"

namespace conformance {
namespace {

struct Debugger {
  std::string_view name;
  std::string_view command;
};
// This program starts itself again with the shim preloaded: each needs options to follow it.
constexpr Debugger kDebuggers[] = {
    {"gdb", "gdb -q -ex set~breakpoint~pending~on -ex handle~SIGSYS~nostop~noprint~pass --args"},
    {"valgrind", "valgrind --trace-children=yes --soname-synonyms=somalloc=nouserintercepts"},
};

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::string> debugger_words(const std::string& under) {
  for (const Debugger& debugger : kDebuggers) {
    if (debugger.name != under) continue;
    std::vector<std::string> words = words_of(std::string(debugger.command));
    for (std::string& word : words) std::ranges::replace(word, '~', ' ');
    return words;
  }
  return words_of(under);
}

void add_what(std::vector<std::string>& command, const ReplayOptions& what) {
  if (what.all) command.emplace_back("--all");
  if (what.system_calls) command.emplace_back("--system-calls");
  if (!what.under.empty() || what.in_process) command.emplace_back("--in-process");
  command.push_back(what.point);
}

}  // namespace

int replay_in_machine(const RunOptions& options, const ReplayOptions& what) {
  static_cast<void>(read_point(what.point));  // before a machine is started
  const Machine machine(options);
  std::vector<std::string> command = debugger_words(what.under);
  const std::vector<std::string> inner = command_in_machine("replay", options, machine);
  command.insert(command.end(), inner.begin(), inner.end());
  add_what(command, what);
  const int status = machine.exec(command);
  if (status == kMachineLost) machine.report_loss("replay");
  return status;
}

int replay_under(const RunOptions& options, const ReplayOptions& what) {
  static_cast<void>(read_point(what.point));
  std::vector<std::string> command = debugger_words(what.under);
  command.insert(command.end(), {find_parts().program, "replay"});
  const std::vector<std::string> surroundings = surroundings_of(options);
  command.insert(command.end(), surroundings.begin(), surroundings.end());
  add_what(command, what);
  return run_program(command);
}

}  // namespace conformance
