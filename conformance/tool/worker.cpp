// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

#include "conformance/harness/codes.h"
#include "conformance/harness/features.h"
#include "conformance/tool/inherited.h"
#include "conformance/tool/output.h"
#include "conformance/tool/process.h"

namespace conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";
constexpr const char* kTunables = "GLIBC_TUNABLES";
// In the second start: the descriptor that the worker reports to, or -1.
constexpr const char* kStarted = "RPMA_CONFORMANCE_WORKER";

constexpr std::chrono::seconds kLongestLoading{30};  // unless --timeout says otherwise
constexpr std::chrono::seconds kLongestExit{10};     // destructors of the library under test

// What a worker reports, a byte each; an exit code is a digit.
constexpr char kLoading = 'l';
constexpr char kLoaded = 'L';

int report_to = -1;  // in a worker

void report(char word) {
  if (report_to >= 0) static_cast<void>(write(report_to, &word, 1));
}

void prepend(const char* variable, const std::string& value) {
  const char* old = std::getenv(variable);
  setenv(variable, (old != nullptr && *old != '\0' ? value + ":" + old : value).c_str(), 1);
}

void need(const std::filesystem::path& part) {
  if (!std::filesystem::exists(part))
    throw SetupError(
        fmt::format("{} is missing; build the whole project, or install it again", part.string()));
  // Both characters separate names in LD_PRELOAD.
  if (part.string().find_first_of(": ") != std::string::npos)
    throw SetupError(fmt::format(
        "{} cannot be preloaded: its path has a colon or a space; install it elsewhere", part.string()));
}

// What a worker needs in its environment.
void set_environment(const RunOptions& options, int descriptor) {
  const Parts parts = find_parts();
  need(parts.shim);
  std::string preload = parts.shim;
  if (options.provider == "mock") {
    need(parts.mock);
    preload += ":" + parts.mock.string();
  }
  prepend(kPreload, preload);
  // A library such as jemalloc needs more of it than the loader leaves.
  if (std::getenv(kTunables) == nullptr) setenv(kTunables, "glibc.rtld.optional_static_tls=16384", 1);
  if (!options.rdma_core.empty()) prepend(kLibraryPath, options.rdma_core);
  setenv(kStarted, std::to_string(descriptor).c_str(), 1);
}

// True in the second start.
bool is_started_again() {
  const char* descriptor = std::getenv(kStarted);
  if (descriptor == nullptr) return false;
  report_to = static_cast<int>(std::strtol(descriptor, nullptr, 10));
  if (report_to >= 0) fcntl(report_to, F_SETFD, FD_CLOEXEC);
  // Programs that this one starts run without the shim.
  for (const char* variable : {kPreload, kStarted}) unsetenv(variable);
  if (!shim_is_preloaded())
    throw SetupError(
        "the shim was preloaded but is not there: the program is setuid, or was built static or with a "
        "sanitizer; use an ordinary build");
  return true;
}

[[noreturn]] void start_again(char** argv) {
  const RealOutput output;
  execv(find_parts().program.c_str(), argv);  // under valgrind /proc/self/exe is valgrind itself
  throw SetupError(fmt::format("cannot start {} again: {}", find_parts().program.string(), strerror(errno)));
}

// What the watching process learned from a worker.
struct Watch {
  bool is_loading = false;
  bool is_overdue = false;  // it was killed: it did not load, or did not end
  int code = -1;            // the exit code that it reported
};

// Waits for what the worker reports. Returns once it has ended, or was killed because it took too long.
void watch(pid_t worker, int reports, std::chrono::seconds longest_loading, Watch& seen) {
  // What the library has started may keep the pipe open, so its end alone does not show that the worker
  // ended.
  const int process = static_cast<int>(syscall(SYS_pidfd_open, worker, 0));
  auto deadline = Clock::time_point::max();
  for (bool has_ended = false;;) {
    int wait_ms = -1;
    if (deadline != Clock::time_point::max())
      wait_ms = static_cast<int>(std::max<int64_t>(
          0, std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count()));
    std::array<pollfd, 2> events{{{reports, POLLIN, 0}, {process, POLLIN, 0}}};
    const int ready = poll(events.data(), events.size(), has_ended ? 0 : wait_ms);
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0 && !has_ended) {
      seen.is_overdue = true;
      kill(worker, SIGKILL);
      break;
    }
    if (events[0].revents != 0) {
      char word = 0;
      if (read(reports, &word, 1) <= 0) break;
      seen.is_loading = word == kLoading;
      deadline = Clock::time_point::max();
      if (seen.is_loading) deadline = Clock::now() + longest_loading;
      if (word >= '0' && word <= '0' + kInvalid) {
        seen.code = word - '0';
        deadline = Clock::now() + kLongestExit;
      }
    } else if (has_ended) {
      break;
    } else {
      has_ended = events[1].revents != 0;
    }
  }
  close(process);
}

std::string end_of(int status) {
  if (WIFSIGNALED(status)) return signal_name(WTERMSIG(status));
  return fmt::format("exit status {}", WEXITSTATUS(status));
}

std::chrono::seconds longest_loading(const RunOptions& options) {
  return options.timeout > 0 ? std::chrono::seconds(options.timeout) : kLongestLoading;
}

std::string why_no_verdict(const RunOptions& options, const Watch& seen, int status) {
  const std::string library = options.librpma.empty() ? "librpma.so.0" : options.librpma;
  if (seen.is_loading && seen.is_overdue)
    return fmt::format(
        "{} was not loaded after {} s: a constructor does not return; nothing was tested; debug the "
        "constructors, or give more time with --timeout",
        library, longest_loading(options).count());
  if (seen.is_loading)
    return fmt::format(
        "the process ended ({}) while it loaded {}: the file is damaged, or a constructor ends the "
        "process; nothing was tested; check the file with ldd, or build it again",
        end_of(status), library);
  return fmt::format(
      "the process that tests {} ended ({}) before there was a verdict; the library under test or "
      "another process (the OOM killer?) has ended it",
      library, end_of(status));
}

// Starts the worker and returns the exit code that it reports.
int start_worker(const RunOptions& options, char** argv) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw SetupError(fmt::format("cannot make a pipe: {}", strerror(errno)));
  Watch seen;
  const pid_t self = getpid();
  const int status = run_child(
      [&] {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self) _exit(kUsage);
        report_to = ends[1];  // also of what goes wrong before the start
        fcntl(ends[1], F_SETFD, 0);
        set_environment(options, ends[1]);
        start_again(argv);
      },
      [&](pid_t worker) {
        close(ends[1]);
        watch(worker, ends[0], longest_loading(options), seen);
      });
  close(ends[0]);
  if (seen.code >= 0) return seen.code;
  throw SetupError(why_no_verdict(options, seen, status));
}

}  // namespace

int in_worker(const RunOptions& options, char** argv, const std::function<int()>& action) {
  if (is_started_again()) {
    need_features();
    return action();
  }
  return start_worker(options, argv);
}

void preload_here(const RunOptions& options, char** argv) {
  if (is_started_again()) return;
  set_environment(options, -1);
  start_again(argv);
}

int try_to_load(const RunOptions& options) {
  std::vector<std::string> words = {find_parts().program, "load"};
  const std::vector<std::string> surroundings = surroundings_of(options);
  words.insert(words.end(), surroundings.begin(), surroundings.end());
  return start_worker(options, as_argv(words).data());
}

Library load_library(const RunOptions& options) {
  need_limits();
  report(kLoading);
  Library library = open_library({options.librpma, options.rdma_core, options.provider == "mock"});
  reset_inherited_state();  // a constructor may have changed it
  report(kLoaded);
  return library;
}

void report_exit_code(int code) {
  report(static_cast<char>('0' + code));
}

}  // namespace conformance
