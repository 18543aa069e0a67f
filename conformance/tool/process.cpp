// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <istream>

namespace conformance {
namespace {

constexpr int kNotStarted = 127 << 8;  // exit status 127
constexpr std::array kHandedOn = {SIGINT, SIGTERM, SIGHUP};
volatile pid_t running = -1;

// A terminal sends its signals to the running program too; forwarded, they would arrive twice.
void hand_on(int signal, siginfo_t* info, void*) {
  if (running > 0 && info->si_code != SI_KERNEL) kill(running, signal);
}

// As shells count it.
int exit_status(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// As waitpid() gives it; exit status 127 where there is no such child.
int wait_status(pid_t pid) {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return kNotStarted;
  return status;
}

// While it lives, signals that end a program go to the running program. This one waits for it, and cleans up.
class Signals {
 public:
  Signals() {
    struct sigaction action {};
    action.sa_sigaction = hand_on;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    for (size_t i = 0; i < kHandedOn.size(); ++i) sigaction(kHandedOn[i], &action, &old_[i]);
  }
  ~Signals() {
    for (size_t i = 0; i < kHandedOn.size(); ++i) sigaction(kHandedOn[i], &old_[i], nullptr);
  }
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;
  Signals(Signals&&) = delete;
  Signals& operator=(Signals&&) = delete;

  // In the child. SIGHUP stays ignored under nohup.
  void give_back() const {
    for (size_t i = 0; i < kHandedOn.size(); ++i) {
      const bool off = kHandedOn[i] == SIGHUP && old_[i].sa_handler == SIG_IGN;
      signal(kHandedOn[i], off ? SIG_IGN : SIG_DFL);
    }
  }

 private:
  std::array<struct sigaction, kHandedOn.size()> old_{};
};

}  // namespace

std::vector<char*> as_argv(const std::vector<std::string>& arguments) {
  std::vector<char*> argv;
  argv.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  return argv;
}

int run_child(const std::function<void()>& child, const std::function<void(pid_t)>& meanwhile) {
  const Signals signals;
  const pid_t pid = fork();
  if (pid < 0) return kNotStarted;
  if (pid == 0) {
    signals.give_back();
    child();
    _exit(127);
  }
  running = pid;
  if (meanwhile) meanwhile(pid);
  const int status = wait_status(pid);
  running = -1;
  return status;
}

int run_program(const std::vector<std::string>& arguments) {
  const std::vector<char*> argv = as_argv(arguments);
  return exit_status(run_child([&argv] { execvp(argv[0], argv.data()); }, {}));
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
  return exit_status(wait_status(pid));
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
  return pid > 0 && wait_status(pid) == 0 ? text : std::string();
}

std::string last_line_of(std::istream& output) {
  std::string last;
  for (std::string line; std::getline(output, line);)
    if (!line.empty()) last = line;
  return last;
}

}  // namespace conformance
