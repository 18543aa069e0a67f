// SPDX-License-Identifier: BSD-3-Clause
//
// Threads and processes that start while system calls are seen: they run unseen, and their creator is still
// seen.
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "preload_test.h"

namespace {

class SystemClones : public Preloaded {
 protected:
  void TearDown() override {
    Preloaded::TearDown();
    struct sigaction action = {};
    EXPECT_EQ(0, sigaction(SIGSYS, nullptr, &action));
    EXPECT_EQ(SIG_DFL, action.sa_handler) << "SIGSYS is still the shim's";
  }
};

int status_of(pid_t child) {
  int status = -1;
  EXPECT_EQ(child, waitpid(child, &status, 0));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_F(SystemClones, ANewThreadRunsUnseen) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  static std::atomic<int> theirs = -1;
  pthread_t thread = {};
  ASSERT_EQ(0, session.arm());
  const int made = pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        theirs = dup(0);
        return nullptr;
      },
      nullptr);
  const int joined = pthread_join(thread, nullptr);
  const int ours = dup(0);
  shim().disarm();
  EXPECT_EQ(0, made);
  EXPECT_EQ(0, joined);
  EXPECT_GE(theirs, 0);
  EXPECT_EQ(-1, ours);
  EXPECT_EQ(1U, log.records_of("dup").size());
  EXPECT_EQ(0U, log->uncovered);
  close(theirs);
}

TEST_F(SystemClones, AForkedChildRunsUnseen) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  const uint32_t before = log->count;
  ASSERT_EQ(0, session.arm());
  const pid_t child = fork();
  if (child == 0) {
    struct sigaction action = {};
    sigaction(SIGSYS, nullptr, &action);
    if (action.sa_handler != SIG_DFL) _exit(1);
    const int fd = dup(0);
    if (fd < 0) _exit(2);
    if (session.arm() != 0 || dup(0) != -1) _exit(3);
    shim().disarm();
    _exit(dup(0) >= 0 ? 0 : 4);
  }
  const int ours = dup(0);
  shim().disarm();
  EXPECT_EQ(0, status_of(child));
  EXPECT_EQ(-1, ours);
  EXPECT_EQ(1U, log.records_of("dup").size());
  EXPECT_EQ(0U, log->uncovered);
  EXPECT_EQ(0U, before);
}

// Another thread forks while this one is armed.
TEST_F(SystemClones, AChildForkedByAnotherThreadHasSigsysBack) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  std::atomic<int> state = 0;
  std::thread forker([&] {
    while (state != 1) std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
      struct sigaction action = {};
      sigaction(SIGSYS, nullptr, &action);
      _exit(action.sa_handler == SIG_DFL ? 0 : 1);
    }
    EXPECT_EQ(0, status_of(child));
    state = 2;
  });
  ASSERT_EQ(0, session.arm());
  state = 1;
  while (state != 2) std::this_thread::yield();
  shim().disarm();
  forker.join();
}

// Without libc's fork handlers.
TEST_F(SystemClones, AfterACloneBothProcessesGoOn) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
  if (child == 0) syscall(SYS_exit_group, syscall(SYS_dup, 0) >= 0 ? 7 : 8);
  const int ours = dup(0);
  shim().disarm();
  EXPECT_EQ(7, status_of(static_cast<pid_t>(child)));
  EXPECT_EQ(-1, ours);
  EXPECT_EQ(0U, log->uncovered);
  EXPECT_EQ(RDMAFAULT_COMPLETE, log.records_of("other_system_call").at(0).flags);
  EXPECT_EQ(0, log.records_of("other_system_call").at(0).result);
}

TEST_F(SystemClones, AVforkedChildExecutesAndTheParentIsStillSeen) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const pid_t child = vfork();  // NOLINT(clang-analyzer-security.insecureAPI.vfork)
  if (child == 0) {
    execl("/bin/true", "true", nullptr);
    _exit(9);
  }
  const int ours = dup(0);
  shim().disarm();
  ASSERT_GT(child, 0);
  EXPECT_EQ(0, status_of(child));
  EXPECT_EQ(-1, ours);
  EXPECT_EQ(0U, log->uncovered);
}

TEST_F(SystemClones, ASpawnedProgramRunsAndTheParentIsStillSeen) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  char name[] = "true";
  char* const arguments[] = {name, nullptr};
  pid_t child = -1;
  ASSERT_EQ(0, session.arm());
  const int made = posix_spawn(&child, "/bin/true", nullptr, nullptr, arguments, environ);
  const int ours = dup(0);
  shim().disarm();
  ASSERT_EQ(0, made);
  EXPECT_EQ(0, status_of(child));
  EXPECT_EQ(-1, ours);
  EXPECT_EQ(0U, log->uncovered);
}

TEST_F(SystemClones, AFailedExecuteIsRecorded) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const int result = execl("/nowhere/at/all", "all", nullptr);
  const int error = errno;
  shim().disarm();
  EXPECT_EQ(-1, result);
  EXPECT_EQ(ENOENT, error);
  EXPECT_EQ(-ENOENT, log.records_of("other_system_call").at(0).result);
}

TEST_F(SystemClones, AnArmedProcessCanExecute) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  const pid_t child = fork();
  if (child == 0) {
    session.arm();
    execl("/bin/sh", "sh", "-c", "exit 5", nullptr);
    _exit(9);
  }
  EXPECT_EQ(5, status_of(child));
}

TEST_F(SystemClones, AThreadThatEndsIsDisarmed) {
  for (int i = 0; i < 50; ++i) {
    const Log log;
    Session session(log, {}, {}, kSystemCalls);
    int result = -1;
    std::thread([&] { result = session.arm(); }).join();
    ASSERT_EQ(0, result) << "after " << i << " threads";
    const uint32_t count = log->count;
    getpid();
    ASSERT_EQ(count, log->count);
  }
}

TEST_F(SystemClones, SeveralThreadsAreSeenSeparately) {
  constexpr int kThreads = 4;
  std::array<int, kThreads> good = {};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 200; ++round) {
        const Log log;
        Session session(log, {"dup:error=EMFILE:when=2", "close:error=EIO:when=2"}, {}, kSystemCalls);
        if (session.arm() != 0) return;
        const int first = dup(0);
        const int second = dup(0);
        close(first);
        shim().disarm();
        if (first < 0 || second != -1 || log->rules[0].seen != 2 || log->rules[1].seen != 1) return;
      }
      good[static_cast<size_t>(i)] = 1;
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int one : good) EXPECT_EQ(1, one);
}

// Each is a different place in the code. The child shares the stack and does not use it.
template <int place>
[[gnu::noinline]] long clone_from_here() {
  long result = SYS_clone;
  const long flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
  asm volatile(
      "# at place %c[place]\n\t"  // otherwise the compiler merges them
      "xorl %%edx, %%edx\n\t"
      "xorl %%r10d, %%r10d\n\t"
      "xorl %%r8d, %%r8d\n\t"
      "syscall\n\t"
      "testq %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "movl $60, %%eax\n\t"
      "movl $3, %%edi\n\t"
      "syscall\n"
      "1:"
      : "+a"(result)
      : "D"(flags), "S"(0L), [place] "i"(place)
      : "rcx", "rdx", "r8", "r10", "r11", "memory");
  return result;
}

template <int... places>
std::array<long, sizeof...(places)> clone_from_places(std::integer_sequence<int, places...> /*all*/) {
  return {clone_from_here<places>()...};
}

// The shim remembers eight places. From a ninth the clone still works, but later calls are not seen.
TEST_F(SystemClones, AfterClonesFromTooManyPlacesTheLogSaysWhatIsMissing) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const auto children = clone_from_places(std::make_integer_sequence<int, 12>());
  const int unseen = dup(0);
  shim().suspend();
  shim().resume();
  const int unseen_still = dup(0);
  shim().disarm();
  for (const long child : children) {
    ASSERT_GT(child, 0);
    EXPECT_EQ(3, status_of(static_cast<pid_t>(child)));
  }
  EXPECT_EQ(1U, log->uncovered);
  EXPECT_GE(unseen, 0);
  EXPECT_GE(unseen_still, 0);
  close(unseen);
  close(unseen_still);
  EXPECT_EQ(0U, log.records_of("dup").size());
  ASSERT_EQ(0, session.arm()) << "arming again works";
  const int seen = dup(0);
  shim().disarm();
  EXPECT_EQ(-1, seen);
}

}  // namespace
