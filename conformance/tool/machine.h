// SPDX-License-Identifier: BSD-3-Clause
//
// The rxe machine of a command: started for it, or already running and left running.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "conformance/tool/options.h"
#include "conformance/tool/temporary_folder.h"

namespace conformance {

inline constexpr int kMachineLost = 125;  // exec() returns it where the machine died

class Machine {
 public:
  // Starts one, unless options.machine names one. Throws SetupError where it cannot.
  explicit Machine(const RunOptions& options);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  Machine(Machine&&) = delete;
  Machine& operator=(Machine&&) = delete;

  [[nodiscard]] std::map<std::string, std::string> environment() const;
  [[nodiscard]] std::filesystem::path share() const { return state_ / "share"; }
  [[nodiscard]] const std::filesystem::path& state() const { return state_; }

  // Runs a command in it with this process's standard streams; returns its exit status.
  [[nodiscard]] int exec(const std::vector<std::string>& arguments) const;

  // The kernel's log; the console's where the machine is gone.
  [[nodiscard]] std::string log() const;

  // Throws SetupError: the machine died during `verb`; with the last line of its console.
  [[noreturn]] void report_loss(const std::string& verb) const;

 private:
  void stop() const;

  std::filesystem::path command_;
  std::optional<TemporaryFolder> own_;  // the state of a machine that it has started
  std::filesystem::path state_;
};

// This program with `verb` and the options that give it the same surroundings in the machine.
std::vector<std::string> command_in_machine(const std::string& verb, const RunOptions& options,
                                            const Machine& machine);

}  // namespace conformance
