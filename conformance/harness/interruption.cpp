// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/interruption.h"

#include <csignal>
#include <cstdint>
#include <ctime>

#include "conformance/harness/codes.h"

namespace conformance {
namespace {

volatile std::sig_atomic_t caught_signal = 0;
volatile std::int64_t caught_at = 0;  // ms

std::int64_t now_ms() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1'000'000;
}

// A second signal ends the process at once. One that comes with the first is the same interruption: a signal
// to a process group arrives here and at the parent, which forwards it.
void note(int signal) {
  constexpr std::int64_t kSame = 500;  // ms
  if (caught_signal == 0) {
    caught_at = now_ms();
    caught_signal = signal;
  } else if (now_ms() - caught_at > kSame) {
    std::signal(signal, SIG_DFL);
    raise(signal);
  }
}

}  // namespace

void watch_for_interruption() {
  struct sigaction action {};
  action.sa_handler = note;
  // No SA_RESTART: a call that waits must return.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // it stays ignored, as for nohup(1)
  }
}

std::string interruption() {
  return caught_signal == 0 ? "" : signal_name(caught_signal);
}

}  // namespace conformance
