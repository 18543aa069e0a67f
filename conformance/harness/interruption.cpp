// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/interruption.h"

#include <fmt/format.h>

#include <csignal>
#include <cstring>

namespace conformance {
namespace {

volatile std::sig_atomic_t caught_signal = 0;

void note(int signal) {
  caught_signal = signal;
}

}  // namespace

void watch_for_interruption() {
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = static_cast<int>(SA_RESETHAND);  // no SA_RESTART: a waiting call must return
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction old {};
    sigaction(signal, nullptr, &old);
    if (old.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);  // it stays ignored, as for nohup(1)
  }
}

std::string interruption() {
  return caught_signal == 0 ? "" : fmt::format("SIG{}", sigabbrev_np(caught_signal));
}

}  // namespace conformance
