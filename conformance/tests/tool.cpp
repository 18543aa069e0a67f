// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tests/tool.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace conformance::testing_tool {

Folder::Folder() {
  std::string name = (std::filesystem::temp_directory_path() / "rpmaconf-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  path_ = name;
}

Folder::~Folder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

Started::Started(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  // No pipe, whose end would be held by what the program leaves behind.
  output_ = memfd_create("output", MFD_CLOEXEC);
  if (output_ < 0) throw std::runtime_error("no file in memory");
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ == 0) {
    for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
    dup2(output_, STDOUT_FILENO);
    dup2(output_, STDERR_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
}

Started::~Started() {
  if (output_ >= 0) wait();
}

bool Started::runs() const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == 0;
}

Ran Started::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  Ran ran{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), {}};
  std::array<char, 4096> buffer{};
  off_t at = 0;
  for (ssize_t size = 0; (size = pread(output_, buffer.data(), buffer.size(), at)) > 0; at += size)
    ran.output.append(buffer.data(), static_cast<size_t>(size));
  close(output_);
  output_ = -1;
  return ran;
}

Ran run(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  return Started(arguments, environment).wait();
}

std::string tool() {
  return RPMACONF_TOOL;
}
std::string toy() {
  return RPMACONF_TOY_LIBRARY;
}
std::string reference() {
  return RPMACONF_REFERENCE;
}

std::vector<std::string> in_machine() {
  const char* const command = std::getenv("RPMACONF_IN_MACHINE");
  std::istringstream words(command != nullptr ? command : "");
  return {std::istream_iterator<std::string>(words), {}};
}

Ran run_there(const std::vector<std::string>& before, const std::vector<std::string>& words) {
  std::vector<std::string> command = in_machine();
  command.insert(command.end(), before.begin(), before.end());
  command.push_back(tool());
  command.insert(command.end(), words.begin(), words.end());
  return run(command);
}

std::vector<std::string> provider_there() {
  if (in_machine().empty()) return {"--provider", "mock"};
  return {"--provider", "rxe", "--device", "rxe0"};
}

std::string in_test_name(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
  return text;
}

nlohmann::json read_json(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return nlohmann::json::parse(stream);
}

}  // namespace conformance::testing_tool
