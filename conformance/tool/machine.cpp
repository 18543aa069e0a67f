// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/machine.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/tool/output.h"
#include "conformance/tool/process.h"

namespace conformance {

namespace fs = std::filesystem;

constexpr size_t kMostOfALine = 500;  // of the console

Machine::Machine(const RunOptions& options) : command_(find_parts().machine) {
  if (!fs::exists(command_))
    throw SetupError(
        fmt::format("{} is missing; build the whole project, or install it again", command_.string()));
  if (!options.machine.empty()) {
    state_ = options.machine;
    return;
  }
  own_.emplace();
  state_ = own_->path();
  std::vector<std::string> start = {command_, "start", "--state", state_};
  if (!options.kernel.empty()) start.insert(start.end(), {"--kernel", options.kernel});
  // The machine command has printed which step failed.
  if (run_program(start) != 0) {
    stop();
    throw SetupError("the rxe machine did not start; 'rpma-conformance doctor' shows what is missing");
  }
}

Machine::~Machine() {
  if (own_) stop();
}

std::map<std::string, std::string> Machine::environment() const {
  std::map<std::string, std::string> values;
  std::ifstream file(state_ / "env");
  for (std::string line; std::getline(file, line);)
    if (const size_t equals = line.find('='); equals != std::string::npos)
      values[line.substr(0, equals)] = line.substr(equals + 1);
  if (!values.contains("DEVICE") || !values.contains("ADDR"))
    throw SetupError(
        fmt::format("no rxe machine runs in {}; start one there, or leave --machine out", state_.string()));
  return values;
}

int Machine::exec(const std::vector<std::string>& arguments) const {
  std::vector<std::string> all = {command_, "exec", "--state", state_, "--"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const RealOutput output;  // the inner run prints the document
  return run_program(all);
}

std::string Machine::log() const {
  return output_of({command_, "log", "--state", state_});
}

void Machine::report_loss(const std::string& verb) const {
  std::istringstream console(log());
  const std::string last = last_line_of(console);
  throw SetupError(fmt::format("the machine was lost during {}; the last line of its console: {}", verb,
                               last.empty() ? "none" : as_one_line(last, kMostOfALine)));
}

void Machine::stop() const {
  run_program({command_, "stop", "--state", state_});
}

std::vector<std::string> command_in_machine(const std::string& verb, const RunOptions& options,
                                            const Machine& machine) {
  const auto environment = machine.environment();
  RunOptions inner = options;  // --kernel has no effect in the machine; reports name it
  inner.device = environment.at("DEVICE");
  if (inner.address.empty()) inner.address = environment.at("ADDR");
  inner.in_machine = true;
  std::vector<std::string> command = {find_parts().program, verb};
  const std::vector<std::string> surroundings = surroundings_of(inner);
  command.insert(command.end(), surroundings.begin(), surroundings.end());
  const std::vector<std::string> output = output_words();
  command.insert(command.end(), output.begin(), output.end());
  return command;
}

}  // namespace conformance
