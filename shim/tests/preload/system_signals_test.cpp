// SPDX-License-Identifier: BSD-3-Clause
//
// Signals while system calls are seen: handlers run and return, calls are interrupted, masks and actions are
// as the program set them; but SIGSYS belongs to the shim.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "preload_test.h"

namespace {

volatile sig_atomic_t handled = 0;

// Sets an action, and restores the old one in its destructor.
class Handling {
 public:
  Handling(int signal, void (*handler)(int), int flags = 0, bool with_full_mask = false) : signal_(signal) {
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = flags;
    if (with_full_mask) sigfillset(&action.sa_mask);
    EXPECT_EQ(0, sigaction(signal, &action, &old_));
    handled = 0;
  }
  Handling(const Handling&) = delete;
  Handling& operator=(const Handling&) = delete;
  ~Handling() { sigaction(signal_, &old_, nullptr); }

 private:
  int signal_;
  struct sigaction old_ = {};
};

class SystemSignals : public Preloaded {
 protected:
  void SetUp() override {
    Preloaded::SetUp();
    ASSERT_EQ(0, pipe2(pipe_, O_CLOEXEC));
  }
  void TearDown() override {
    Preloaded::TearDown();
    const itimerval none = {};
    setitimer(ITIMER_REAL, &none, nullptr);
    close(pipe_[0]);
    close(pipe_[1]);
    struct sigaction action = {};
    EXPECT_EQ(0, sigaction(SIGSYS, nullptr, &action));
    EXPECT_EQ(SIG_DFL, action.sa_handler) << "SIGSYS is still the shim's";
  }
  // SIGALRM at intervals, starting soon.
  static void start_alarm() {
    const itimerval often = {{0, 20000}, {0, 20000}};
    setitimer(ITIMER_REAL, &often, nullptr);
  }
  static void stop_alarm() {
    const itimerval none = {};
    setitimer(ITIMER_REAL, &none, nullptr);
  }

  int pipe_[2] = {};
};

void count_and_call(int /*signal*/) {
  handled = handled + 1;
  getppid();
}

// Also handlers with SIGSYS in their mask: a system call in one of them could kill the process.
TEST_F(SystemSignals, AHandlerRunsReturnsAndIsSeen) {
  for (const int signal : {SIGUSR1, SIGTRAP, SIGALRM}) {
    for (const bool with_full_mask : {false, true}) {
      SCOPED_TRACE(strsignal(signal));
      const Handling handling(signal, &count_and_call, 0, with_full_mask);
      const Log log;
      Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
      ASSERT_EQ(0, session.arm());
      raise(signal);
      raise(signal);
      const int fd = dup(0);
      shim().disarm();
      EXPECT_EQ(2, handled);
      EXPECT_EQ(-1, fd) << "nothing is seen after the handler";
      EXPECT_EQ(2U, log.records_of("getppid", nullptr).size());
    }
  }
}

TEST_F(SystemSignals, AHandlerOfATrapInstructionRunsAndReturns) {
  const Handling handling(SIGTRAP, &count_and_call, 0, true);
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  asm volatile("int3");
  getpid();
  shim().disarm();
  EXPECT_EQ(1, handled);
  EXPECT_EQ(1U, log.records_of("getppid").size());
  EXPECT_EQ(1U, log.records_of("getpid").size());
}

TEST_F(SystemSignals, AHandlerMaySuspendAndResume) {
  const Handling handling(
      SIGUSR1,
      [](int) {
        shim().suspend();
        count_and_call(0);
        shim().resume();
      },
      0, true);
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  raise(SIGUSR1);
  geteuid();
  shim().disarm();
  EXPECT_EQ(1, handled);
  EXPECT_EQ(0U, log.records_of("getppid", nullptr).size());
  EXPECT_EQ(1U, log.records_of("geteuid").size());
}

TEST_F(SystemSignals, ABlockingCallIsInterrupted) {
  const Handling handling(SIGALRM, &count_and_call, 0, true);
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  char byte = 0;
  ASSERT_EQ(0, session.arm());
  start_alarm();
  const ssize_t result = read(pipe_[0], &byte, 1);
  const int error = errno;
  stop_alarm();
  shim().disarm();
  EXPECT_EQ(-1, result);
  EXPECT_EQ(EINTR, error);
  EXPECT_GE(handled, 1);
  EXPECT_EQ(-EINTR, log.records_of("read").at(0).result);
  EXPECT_GE(log.records_of("getppid", nullptr).size(), 1U) << "the handler's calls are seen";
}

TEST_F(SystemSignals, ABlockingCallIsRestarted) {
  static int write_end = -1;
  write_end = pipe_[1];
  const Handling handling(
      SIGALRM,
      [](int) {
        handled = handled + 1;
        if (handled == 3 && write(write_end, "x", 1) != 1) std::abort();
      },
      SA_RESTART);
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  char byte = 0;
  ASSERT_EQ(0, session.arm());
  start_alarm();
  const ssize_t result = read(pipe_[0], &byte, 1);
  stop_alarm();
  shim().disarm();
  EXPECT_EQ(1, result);
  EXPECT_GE(handled, 3);
  EXPECT_EQ(1U, log.records_of("read").size());
  EXPECT_EQ(1U, log.records_of("write", nullptr).size());
}

jmp_buf jump;

TEST_F(SystemSignals, AHandlerMayJumpOutOfACall) {
  const Handling handling(
      SIGALRM, [](int) { siglongjmp(jump, 1); }, 0, true);
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  char byte = 0;
  ASSERT_EQ(0, session.arm());
  if (sigsetjmp(jump, 1) == 0) {
    start_alarm();
    read(pipe_[0], &byte, 1);
  }
  stop_alarm();
  const int fd = dup(0);
  raise(SIGCONT);
  shim().disarm();
  EXPECT_EQ(-1, fd);
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  EXPECT_EQ(0, sigismember(&mask, SIGALRM));
  EXPECT_EQ(0, sigismember(&mask, SIGUSR1));
  EXPECT_EQ(0, log.records_of("read").at(0).flags) << "it never returned";
}

TEST_F(SystemSignals, AHandlerMayDisarm) {
  const Handling handling(
      SIGALRM, [](int) { shim().disarm(); }, 0, true);
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  char byte = 0;
  ASSERT_EQ(0, session.arm());
  start_alarm();
  const ssize_t result = read(pipe_[0], &byte, 1);
  const int error = errno;
  const int fd = dup(0);
  stop_alarm();
  EXPECT_EQ(-1, result);
  EXPECT_EQ(EINTR, error);
  EXPECT_GE(fd, 0);
  close(fd);
}

TEST_F(SystemSignals, BlockingAllSignalsDoesNotBlockSigsys) {
  const Handling handling(SIGUSR1, &count_and_call);
  sigset_t all;
  sigset_t old;
  sigset_t now;
  sigset_t after;
  sigfillset(&all);
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const int blocked = pthread_sigmask(SIG_SETMASK, &all, &old);
  raise(SIGUSR1);
  const int before = handled;
  const int fd = dup(0);
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  const int restored = pthread_sigmask(SIG_SETMASK, &old, nullptr);
  const int delivered = handled;
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  shim().disarm();
  EXPECT_EQ(0, blocked);
  EXPECT_EQ(0, before);
  EXPECT_EQ(-1, fd);
  EXPECT_EQ(1, sigismember(&now, SIGUSR1));
  EXPECT_EQ(1, sigismember(&now, SIGSYS)) << "the program must see it as blocked";
  EXPECT_EQ(0, restored);
  EXPECT_EQ(1, delivered);
  EXPECT_EQ(0, sigismember(&old, SIGSYS));
  EXPECT_EQ(0, sigismember(&after, SIGUSR1));
  EXPECT_EQ(0, sigismember(&after, SIGSYS));
}

TEST_F(SystemSignals, TheProgramsMaskIsRestored) {
  sigset_t sigsys;
  sigset_t now;
  sigset_t clean;
  sigemptyset(&sigsys);
  sigaddset(&sigsys, SIGSYS);
  sigaddset(&sigsys, SIGHUP);
  pthread_sigmask(SIG_SETMASK, nullptr, &clean);
  const Log log;
  Session session(log, {}, {}, kSystemCalls);

  pthread_sigmask(SIG_BLOCK, &sigsys, nullptr);  // blocked before arming
  ASSERT_EQ(0, session.arm());
  getpid();
  shim().disarm();
  pthread_sigmask(SIG_SETMASK, &clean, &now);
  EXPECT_EQ(1, sigismember(&now, SIGSYS));
  EXPECT_EQ(1, sigismember(&now, SIGHUP));

  ASSERT_EQ(0, session.arm());
  pthread_sigmask(SIG_BLOCK, &sigsys, nullptr);  // blocked while armed
  shim().disarm();
  pthread_sigmask(SIG_SETMASK, &clean, &now);
  EXPECT_EQ(1, sigismember(&now, SIGSYS));
  EXPECT_EQ(1, sigismember(&now, SIGHUP));

  ASSERT_EQ(0, session.arm());
  pthread_sigmask(SIG_BLOCK, &sigsys, nullptr);
  pthread_sigmask(SIG_UNBLOCK, &sigsys, nullptr);
  shim().disarm();
  pthread_sigmask(SIG_SETMASK, &clean, &now);
  EXPECT_EQ(0, sigismember(&now, SIGSYS));
  EXPECT_EQ(0, sigismember(&now, SIGHUP));
}

TEST_F(SystemSignals, TheKernelRefusesBadMasksAndActions) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const long mask = syscall(SYS_rt_sigprocmask, SIG_BLOCK, 1, 0, 8);
  const int mask_error = errno;
  const long size = syscall(SYS_rt_sigprocmask, SIG_BLOCK, 0, 0, 4);
  const int size_error = errno;
  const long action = syscall(SYS_rt_sigaction, SIGUSR1, 1, 0, 8);
  const int action_error = errno;
  const long sigsys = syscall(SYS_rt_sigaction, SIGSYS, 0, 1, 8);
  const int sigsys_error = errno;
  const long none = syscall(SYS_rt_sigaction, 65, 0, 0, 8);
  const int none_error = errno;
  shim().disarm();
  EXPECT_EQ(-1, mask);
  EXPECT_EQ(EFAULT, mask_error);
  EXPECT_EQ(-1, size);
  EXPECT_EQ(EINVAL, size_error);
  EXPECT_EQ(-1, action);
  EXPECT_EQ(EFAULT, action_error);
  EXPECT_EQ(-1, sigsys);
  EXPECT_EQ(EFAULT, sigsys_error);
  EXPECT_EQ(-1, none);
  EXPECT_EQ(EINVAL, none_error);
}

// A handler runs while a call waits with its own mask.
TEST_F(SystemSignals, WaitingWithAMaskDoesNotBlockSigsys) {
  sigset_t all_but_alarm;
  sigset_t clean;
  sigfillset(&all_but_alarm);
  sigdelset(&all_but_alarm, SIGALRM);
  pthread_sigmask(SIG_SETMASK, nullptr, &clean);
  const Handling handling(SIGALRM, &count_and_call);
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  const timespec long_time = {60, 0};
  pollfd waiting = {pipe_[0], POLLIN, 0};
  int results[3] = {};
  ASSERT_EQ(0, session.arm());
  start_alarm();
  results[0] = sigsuspend(&all_but_alarm);
  results[1] = ppoll(&waiting, 1, &long_time, &all_but_alarm);
  results[2] = pselect(0, nullptr, nullptr, nullptr, &long_time, &all_but_alarm);
  stop_alarm();
  shim().disarm();
  for (const int result : results) EXPECT_EQ(-1, result);
  EXPECT_GE(handled, 3);
  EXPECT_GE(log.records_of("getppid", nullptr).size(), 3U);
  EXPECT_EQ(-EINTR, log.records_of("ppoll").at(0).result);
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  for (int signal = 1; signal < 32; ++signal) {
    EXPECT_EQ(sigismember(&clean, signal), sigismember(&now, signal)) << signal;
  }
}

// Set before and while armed; the program sees the masks that it set.
TEST_F(SystemSignals, MasksOfActionsAreAsTheProgramSetThem) {
  const Handling before(SIGUSR1, &count_and_call, 0, true);
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  struct sigaction seen[4] = {};
  ASSERT_EQ(0, session.arm());
  {
    const Handling meanwhile(SIGUSR2, &count_and_call, 0, true);
    raise(SIGUSR2);
    sigaction(SIGUSR1, nullptr, &seen[0]);
    sigaction(SIGUSR2, nullptr, &seen[1]);
    shim().disarm();
    sigaction(SIGUSR1, nullptr, &seen[2]);
    sigaction(SIGUSR2, nullptr, &seen[3]);
  }
  EXPECT_EQ(1, handled);
  for (const struct sigaction& action : seen) {
    EXPECT_EQ(&count_and_call, action.sa_handler);
    EXPECT_EQ(1, sigismember(&action.sa_mask, SIGSYS));
    EXPECT_EQ(1, sigismember(&action.sa_mask, SIGHUP));
  }
  // The first one's mask is empty again.
  ASSERT_EQ(0, session.arm());
  { const Handling meanwhile(SIGUSR2, &count_and_call); }
  shim().disarm();
  sigaction(SIGUSR2, nullptr, &seen[0]);
  EXPECT_EQ(0, sigismember(&seen[0].sa_mask, SIGSYS));
}

volatile int code = 0;

TEST_F(SystemSignals, AnActionForSigsysIsOnlyForSigsysFromElsewhere) {
  struct sigaction wanted = {};
  struct sigaction old = {};
  struct sigaction seen = {};
  struct sigaction after = {};
  wanted.sa_sigaction = [](int, siginfo_t* info, void*) {
    code = info->si_code;
    count_and_call(0);
  };
  wanted.sa_flags = SA_SIGINFO;
  handled = 0;
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const int set = sigaction(SIGSYS, &wanted, &old);
  const int fd = dup(0);
  sigaction(SIGSYS, nullptr, &seen);
  raise(SIGSYS);
  const int again = dup(0);
  shim().disarm();
  sigaction(SIGSYS, nullptr, &after);
  signal(SIGSYS, SIG_DFL);
  EXPECT_EQ(0, set);
  EXPECT_EQ(-1, fd);
  EXPECT_EQ(-1, again);
  EXPECT_EQ(SIG_DFL, old.sa_handler);
  EXPECT_EQ(wanted.sa_sigaction, seen.sa_sigaction);
  EXPECT_EQ(1, handled);
  EXPECT_EQ(SI_TKILL, code);
  EXPECT_EQ(wanted.sa_sigaction, after.sa_sigaction) << "it is installed now";
}

// The kernel answers, not the shim.
TEST_F(SystemSignals, SuspendedCallsReachTheKernel) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  struct sigaction pretended = {};
  struct sigaction real = {};
  ASSERT_EQ(0, session.arm());
  sigaction(SIGSYS, nullptr, &pretended);
  shim().suspend();
  sigaction(SIGSYS, nullptr, &real);
  shim().resume();
  shim().disarm();
  EXPECT_EQ(SIG_DFL, pretended.sa_handler);
  EXPECT_NE(SIG_DFL, real.sa_handler);
}

TEST_F(SystemSignals, AnEarlierActionForSigsysIsRestored) {
  const Handling handling(SIGSYS, &count_and_call);
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  raise(SIGSYS);
  shim().disarm();
  raise(SIGSYS);
  EXPECT_EQ(2, handled);
}

TEST_F(SystemSignals, ASigsysWithoutAHandlerEndsTheProcess) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  EXPECT_EXIT(
      {
        session.arm();
        raise(SIGSYS);
        _exit(0);
      },
      testing::KilledBySignal(SIGSYS), "");
}

TEST_F(SystemSignals, AnAlternateStackIsKept) {
  static char earlier[65536];
  static char memory[65536];
  static volatile bool on_it = false;
  stack_t stack = {};
  stack_t old = {};
  stack_t now = {};
  stack.ss_sp = earlier;
  stack.ss_size = sizeof(earlier);
  ASSERT_EQ(0, sigaltstack(&stack, nullptr));
  stack.ss_sp = memory;
  const Handling handling(
      SIGUSR1,
      [](int) {
        const char local = 0;
        const char* const at = &local;
        on_it = at >= memory && at < memory + sizeof(memory);
        getppid();
      },
      SA_ONSTACK, true);
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const int set = sigaltstack(&stack, &old);
  sigaltstack(nullptr, &now);
  raise(SIGUSR1);
  shim().disarm();
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
  EXPECT_EQ(0, set);
  EXPECT_EQ(static_cast<void*>(earlier), old.ss_sp);
  EXPECT_EQ(static_cast<void*>(memory), now.ss_sp);
  EXPECT_TRUE(on_it);
  EXPECT_EQ(1U, log.records_of("getppid", nullptr).size());
}

// The handler's return restores a mask that may block SIGSYS.
TEST_F(SystemSignals, AHandlerMayArm) {
  static Session* to_arm = nullptr;
  const Handling handling(SIGUSR1, [](int) { to_arm->arm(); });
  sigset_t sigsys;
  sigset_t clean;
  sigset_t now;
  sigemptyset(&sigsys);
  sigaddset(&sigsys, SIGSYS);
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  to_arm = &session;
  pthread_sigmask(SIG_BLOCK, &sigsys, &clean);
  raise(SIGUSR1);
  const int fd = dup(0);
  shim().disarm();
  to_arm = nullptr;
  pthread_sigmask(SIG_SETMASK, &clean, &now);
  EXPECT_EQ(-1, fd);
  EXPECT_EQ(1, sigismember(&now, SIGSYS));
}

// Unwinds through the shim's handler.
TEST_F(SystemSignals, AThreadThatIsCancelledInACallIsDisarmed) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  struct Shared {
    Session* session;
    int fd;
    volatile bool unwound;
  } shared = {&session, pipe_[0], false};
  pthread_t thread = {};
  ASSERT_EQ(0, pthread_create(
                   &thread, nullptr,
                   [](void* argument) -> void* {
                     auto* const all = static_cast<Shared*>(argument);
                     struct Note {
                       explicit Note(Shared* of) : all(of) {}
                       Note(const Note&) = delete;
                       Note& operator=(const Note&) = delete;
                       ~Note() { all->unwound = true; }
                       Shared* all;
                     } const note(all);
                     char byte = 0;
                     all->session->arm();
                     while (read(all->fd, &byte, 1) != 0) {
                     }
                     return nullptr;
                   },
                   &shared));
  while (__atomic_load_n(&log->count, __ATOMIC_RELAXED) == 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(0, pthread_cancel(thread));
  void* result = nullptr;
  EXPECT_EQ(0, pthread_join(thread, &result));
  EXPECT_EQ(PTHREAD_CANCELED, result);
  EXPECT_TRUE(shared.unwound);
}

}  // namespace
