// SPDX-License-Identifier: BSD-3-Clause
//
// For tests of the tool: run it as a user would, and read what it left.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace conformance::testing_tool {

// A folder of the test's own, removed at the end.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct Ran {
  int exit_code;       // 128 + N where signal N ended it
  std::string output;  // standard output and standard error, as they came
};

// A running program. The destructor waits for it.
class Started {
 public:
  // With extra environment variables ("NAME=value").
  explicit Started(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment = {});
  ~Started();
  Started(const Started&) = delete;
  Started& operator=(const Started&) = delete;
  Started(Started&&) = delete;
  Started& operator=(Started&&) = delete;
  [[nodiscard]] int pid() const { return pid_; }
  [[nodiscard]] bool runs() const;
  Ran wait();

 private:
  int pid_ = -1;
  int output_ = -1;
};

// Runs a program with extra environment variables ("NAME=value").
Ran run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment = {});

// The tool under test, the toy library and the reference listener, from the build.
std::string tool();
std::string toy();
std::string reference();

// The command that runs another in the rxe machine; empty: the mock is used. From RPMACONF_IN_MACHINE, words
// separated by spaces (SuiteTests.cmake). The temporary folder must then be one that the machine shares.
std::vector<std::string> in_machine();
// Runs the tool there, behind the words of `before`, such as "env" and its variables.
Ran run_there(const std::vector<std::string>& before, const std::vector<std::string>& words);
// The options that choose the provider there.
std::vector<std::string> provider_there();

// For the names of test rows: '_' for each character that GoogleTest does not take.
std::string in_test_name(std::string text);

nlohmann::json read_json(const std::filesystem::path& file);

}  // namespace conformance::testing_tool
