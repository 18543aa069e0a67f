// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/inherited.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "conformance/harness/library.h"

namespace conformance {
namespace {

// Those that a shell's ulimit sets and that make calls fail. Memory locks stay: a device needs what the host
// gives, and cases lower it.
constexpr __rlimit_resource kLimits[] = {RLIMIT_AS,     RLIMIT_CPU,   RLIMIT_DATA,      RLIMIT_FSIZE,
                                         RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_SIGPENDING};
constexpr rlim_t kMostDescriptors = 4096;  // a table of millions takes time to close
constexpr rlim_t kLeastDescriptors = 64;   // a run with a few jobs has about 40

void ignore_nothing() {
  struct sigaction action {};
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const bool is_from_terminal = signal == SIGHUP || signal == SIGINT || signal == SIGQUIT;
    if (!is_from_terminal && signal != SIGXFSZ && sigaction(signal, nullptr, &action) == 0 &&
        action.sa_handler == SIG_IGN)
      std::signal(signal, SIG_DFL);
  }
  std::signal(SIGXFSZ, SIG_IGN);  // write() reports it
  // A child's exit status would be lost.
  if (sigaction(SIGCHLD, nullptr, &action) == 0 && (action.sa_flags & SA_NOCLDWAIT) != 0)
    std::signal(SIGCHLD, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

}  // namespace

void reset_inherited_state() {
  ignore_nothing();
  const itimerval off{};
  for (const __itimer_which timer : {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF})
    setitimer(timer, &off, nullptr);
  // A file that is opened later would become a standard stream.
  while (true) {
    const int null = open("/dev/null", O_RDWR);
    if (null > STDERR_FILENO) close(null);
    if (null < 0 || null > STDERR_FILENO) break;
  }
  for (const __rlimit_resource resource : kLimits) {
    rlimit limit{};
    if (getrlimit(resource, &limit) != 0) continue;
    const rlim_t wanted = resource == RLIMIT_NOFILE
                              ? std::max(limit.rlim_cur, std::min(limit.rlim_max, kMostDescriptors))
                              : limit.rlim_max;
    if (wanted == limit.rlim_cur) continue;
    limit.rlim_cur = wanted;
    setrlimit(resource, &limit);
  }
}

void need_limits() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < kLeastDescriptors)
    throw SetupError(fmt::format(
        "the limit of open files is {}, at least {} are needed; raise it as root (ulimit -n 1024)",
        limit.rlim_cur, kLeastDescriptors));
}

}  // namespace conformance
