// SPDX-License-Identifier: BSD-3-Clause
//
// A forked child starts disarmed, whatever the parent's threads do.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "preload_test.h"

namespace {

using Fork = Preloaded;

// Runs `child` in a forked child and returns its exit status.
template <class Child>
int in_child(Child child) {
  const pid_t pid = fork();
  if (pid == 0) _exit(child());
  int status = 0;
  EXPECT_EQ(pid, waitpid(pid, &status, 0));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(Fork, TheChildOfAnArmedThreadIsDisarmed) {
  const Log log;
  Session session(log, {"malloc:error=ENOMEM:thread=any"});
  ASSERT_EQ(0, session.arm());
  const int status = in_child([&] {
    if (malloc(1) == nullptr) return 1;
    if (log->count != 0) return 2;
    return session.arm() == 0 && malloc(1) == nullptr && log->count == 1 ? 0 : 3;
  });
  void* const ours = malloc(1);
  shim().disarm();
  EXPECT_EQ(0, status);
  EXPECT_EQ(nullptr, ours) << "the parent stays armed";
  free(ours);
}

TEST_F(Fork, TheChildIsNotSuspended) {
  const Log log;
  Session session(log, {"malloc:error=ENOMEM"});
  shim().suspend();
  const int status = in_child([&] { return session.arm() == 0 && malloc(1) == nullptr ? 0 : 1; });
  shim().resume();
  EXPECT_EQ(0, status);
}

void allocate_in_handler() {
  free(malloc(1));
}

// Fork handlers run in the parent and in the child; their calls are not recorded.
TEST_F(Fork, ForkHandlersRecordNothingInTheChild) {
  const Log log;
  Session session(log);
  ASSERT_EQ(0, pthread_atfork(nullptr, nullptr, allocate_in_handler));
  ASSERT_EQ(0, session.arm());
  const int status = in_child([&] { return log->count == 0 ? 0 : 1; });
  shim().disarm();
  EXPECT_EQ(0, status);
}

TEST_F(Fork, ChildrenForkedWhileThreadsAllocateWork) {
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  threads.reserve(3);
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      while (!done) free(malloc(32));
    });
  }
  const Log theirs(64);
  Session their_session(theirs);
  threads.emplace_back([&] {
    while (!done) {
      their_session.arm();
      free(malloc(1));
      shim().disarm();
    }
  });
  const Log log;
  Session session(log, {"malloc:error=ENOMEM:when=2"});
  for (int round = 0; round < 25; ++round) {
    const int status = in_child([&] {
      if (malloc(1) == nullptr) return 1;
      if (session.arm() != 0) return 2;
      void* const first = malloc(1);
      void* const second = malloc(1);
      shim().disarm();  // would hang if a writer were left
      if (first == nullptr || second != nullptr) return 3;
      return log->count == 2 ? 0 : 4;
    });
    ASSERT_EQ(0, status) << "in round " << round;
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
