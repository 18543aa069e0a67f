// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace conformance {
namespace {

volatile pid_t running = -1;

void hand_on(int signal) {
  if (running > 0) kill(running, signal);
}

std::vector<char*> as_argv(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  return argv;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return 127;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// While it lives, SIGTERM goes to the program that runs, and SIGINT, which that program gets from the
// terminal too, does not end this one.
class Signals {
 public:
  Signals() {
    struct sigaction action {};
    action.sa_handler = hand_on;
    sigaction(SIGTERM, &action, &old_term_);
    action.sa_handler = SIG_IGN;
    sigaction(SIGINT, &action, &old_int_);
  }
  ~Signals() {
    sigaction(SIGTERM, &old_term_, nullptr);
    sigaction(SIGINT, &old_int_, nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  Signals(Signals&&) = delete;
  Signals& operator=(Signals&&) = delete;

 private:
  struct sigaction old_term_ {};
  struct sigaction old_int_ {};
};

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  const std::vector<char*> argv = as_argv(arguments);
  const Signals signals;
  const pid_t pid = fork();
  if (pid < 0) return 127;
  if (pid == 0) {
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  running = pid;
  const int status = wait_for(pid);
  running = -1;
  return status;
}

int start_program(const std::vector<std::string>& arguments, const std::string& log) {
  const std::vector<char*> argv = as_argv(arguments);
  const pid_t pid = fork();
  if (pid != 0) return pid;
  const int file = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  execvp(argv[0], argv.data());
  _exit(127);
}

int wait_for_program(int pid) {
  return wait_for(pid);
}

std::string output_of(const std::vector<std::string>& arguments) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  const std::vector<char*> argv = as_argv(arguments);
  const pid_t pid = fork();
  if (pid == 0) {
    dup2(ends[1], STDOUT_FILENO);
    execvp(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t size = 0; pid > 0 && (size = read(ends[0], buffer.data(), buffer.size())) > 0;)
    text.append(buffer.data(), static_cast<size_t>(size));
  close(ends[0]);
  return pid > 0 && wait_for(pid) == 0 ? text : std::string();
}

}  // namespace conformance
