// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/starvation.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

namespace conformance {
namespace {

using namespace std::chrono_literals;

// Spins on the processor on which the caller runs.
pid_t spinning_process(int processor) {
  const pid_t process = fork();
  if (process != 0) return process;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<size_t>(processor), &only);
  sched_setaffinity(0, sizeof only, &only);
  for (std::atomic<unsigned> turns = 0;; ++turns) {
  }
}

TEST(Starvation, SharedProcessorIsWaitedForAndUsed) {
  const int processor = sched_getcpu();
  std::array<pid_t, 2> processes{spinning_process(processor), spinning_process(processor)};
  // One second of each comes sooner or later.
  for (const pid_t process : processes)
    while (processor_time(process).waited < 1s || processor_time(process).ran < 1s)
      std::this_thread::sleep_for(50ms);
  for (const pid_t process : processes) {
    kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
  }
}

TEST(Starvation, SleeperWaitsForNoProcessor) {
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    for (;;) pause();
  }
  std::this_thread::sleep_for(300ms);
  EXPECT_LT(processor_time(process).waited, 300ms);
  EXPECT_LT(processor_time(process).ran, 300ms);
  kill(process, SIGKILL);
  waitpid(process, nullptr, 0);
  EXPECT_EQ(processor_time(process).waited, 0ns) << "a process that is gone";
}

}  // namespace
}  // namespace conformance
