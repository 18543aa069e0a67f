// SPDX-License-Identifier: BSD-3-Clause
//
// System calls of an armed thread, also those inside libc: rules make them fail, and records name their
// caller; without the flag nothing changes. Signals are in system_signals_test.cpp, threads and processes in
// system_clones_test.cpp.
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "preload_test.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

extern "C" FILE* call_fopen_from_here(const char* path);

namespace {

using SystemCalls = Preloaded;

// Which of five fopens failed, one character each.
std::string five_fopens(FILE* (*open_file)(const char*), Session& session) {
  char failed[6] = "";
  EXPECT_EQ(0, session.arm());
  for (int i = 0; i < 5; ++i) {
    FILE* const file = open_file("/dev/null");
    failed[i] = file == nullptr ? 'X' : '.';
    if (file != nullptr) fclose(file);
  }
  shim().disarm();
  return failed;
}

FILE* fopen_from_main(const char* path) {
  FILE* volatile file = fopen(path, "r");  // no tail call
  return file;
}

std::string five_fopens(const std::string& rule, FILE* (*open_file)(const char*) = &fopen_from_main) {
  const Log log;
  Session session(log, {rule}, {{"iut", "libcaller.so.1"}, {"harness", "main"}}, kSystemCalls);
  return five_fopens(open_file, session);
}

// libc opens the file internally: an interposed open would not see it.
TEST_F(SystemCalls, ARuleMakesACallInsideLibcFail) {
  const Log log;
  Session session(log, {"openat:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const FILE* const file = fopen_from_main("/dev/null");
  const int error = errno;
  shim().disarm();
  EXPECT_EQ(nullptr, file);
  EXPECT_EQ(EMFILE, error);
  const auto records = log.records_of("openat");
  ASSERT_EQ(1U, records.size());
  EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED, records[0].flags);
  EXPECT_EQ(-EMFILE, records[0].result);
  EXPECT_EQ(EMFILE, records[0].error);
  EXPECT_EQ(AT_FDCWD, static_cast<int>(records[0].args[0]));
  EXPECT_STREQ("/dev/null", records[0].text);
  EXPECT_EQ(gettid(), records[0].thread);
  EXPECT_EQ(0, records[0].depth);
  EXPECT_EQ(1U, log->rules[0].seen);
  EXPECT_EQ(1U, log->rules[0].fired);
}

TEST_F(SystemCalls, AForwardedCallWorks) {
  const Log log;
  Session session(log, {"openat:error=EMFILE:when=99"}, {}, kSystemCalls);
  int ends[2] = {};
  char bytes[8] = "";
  ASSERT_EQ(0, session.arm());
  const int made = pipe2(ends, O_CLOEXEC);
  const ssize_t written = write(ends[1], "four", 4);
  const ssize_t got = read(ends[0], bytes, sizeof(bytes));
  void* const pages = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static_cast<char*>(pages)[8191] = 'x';
  const int gone = munmap(pages, 8192);
  close(ends[0]);
  close(ends[1]);
  shim().disarm();
  EXPECT_EQ(0, made);
  EXPECT_EQ(4, written);
  EXPECT_EQ(4, got);
  EXPECT_STREQ("four", bytes);
  EXPECT_EQ(0, gone);
  EXPECT_EQ(4, log.records_of("read").at(0).result);
  EXPECT_EQ(ends[0], log.records_of("read").at(0).args[0]);
  EXPECT_EQ(8, log.records_of("read").at(0).args[2]);
  EXPECT_EQ(reinterpret_cast<intptr_t>(pages), log.records_of("mmap").at(0).result);
  EXPECT_EQ(0, log.records_of("mmap").at(0).error);
  EXPECT_EQ(-1, static_cast<int>(log.records_of("mmap").at(0).args[4]));
  EXPECT_EQ(2U, log.records_of("close").size());
}

TEST_F(SystemCalls, TheCallerIsTheInnermostModuleOutsideTheSystem) {
  struct Case {
    const char* filter;
    const char* from_main;
    const char* from_library;
  };
  for (const Case& one :
       {Case{"@iut", ".....", "XXXXX"}, Case{"!@iut", "XXXXX", "....."}, Case{"main", "XXXXX", "....."},
        Case{"libcaller.so.1", ".....", "XXXXX"}, Case{"libc.so.6", ".....", "....."}}) {
    SCOPED_TRACE(one.filter);
    const std::string rule = std::string("openat:error=EACCES:caller=") + one.filter;
    EXPECT_EQ(one.from_main, five_fopens(rule));
    EXPECT_EQ(one.from_library, five_fopens(rule, &call_fopen_from_here));
  }
}

TEST_F(SystemCalls, TheCallerIsThePlaceThatCalledLibc) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  FILE* const file = call_fopen_from_here("/dev/null");
  fclose(file);
  shim().disarm();
  const auto records = log.records_of("openat", "libcaller.so.1");
  ASSERT_EQ(1U, records.size());
  Dl_info info = {};
  ASSERT_NE(0, dladdr(reinterpret_cast<void*>(records[0].caller), &info));
  EXPECT_STREQ("call_fopen_from_here", info.dli_sname);
}

// A system call instruction in the program, not in libc.
TEST_F(SystemCalls, AnInstructionInTheProgramIsItsCaller) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  long result = SYS_dup;
  asm volatile("syscall" : "+a"(result) : "D"(0L) : "rcx", "r11", "memory");
  shim().disarm();
  EXPECT_EQ(-EMFILE, result);
  EXPECT_EQ(1U, log.records_of("dup", "main").size());
}

[[gnu::noinline]] int fopens_deeper(int depth) {  // NOLINT(misc-no-recursion)
  if (depth > 0) {
    volatile const int result = fopens_deeper(depth - 1);
    return result;
  }
  FILE* const file = call_fopen_from_here("/dev/null");
  fclose(file);
  return 0;
}

// libc calls the program back, so the program is on the stack twice; the innermost frame counts.
int compare_and_open(const void* /*a*/, const void* /*b*/) {
  return fopens_deeper(3);
}

TEST_F(SystemCalls, CallbacksAreCallers) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  int two[] = {1, 2};
  ASSERT_EQ(0, session.arm());
  qsort(two, 2, sizeof(int), compare_and_open);
  shim().disarm();
  EXPECT_EQ(1U, log.records_of("openat", "libcaller.so.1").size());
  EXPECT_EQ(1U, log.records_of("close", "main").size());
}

TEST_F(SystemCalls, ACallInsideAnInterposedFunctionIsOneDeeper) {
  constexpr size_t kLarge = size_t{64} << 20;  // malloc maps it
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  void* const block = malloc(kLarge);
  free(block);
  shim().disarm();
  ASSERT_EQ(1U, log.records_of("mmap").size());
  EXPECT_EQ(1, log.records_of("mmap")[0].depth);
  EXPECT_EQ(1U, log.records_of("munmap").size());
  EXPECT_EQ(1, log.records_of("munmap").at(0).depth);
  EXPECT_EQ(0, log.records_of("malloc").at(0).depth);
}

// malloc uses up its memory and asks for more, with its locks held.
TEST_F(SystemCalls, AnAllocatorWithoutABreakGoesOn) {
  static std::array<void*, 4000> blocks;
  size_t count = 0;
  const Log log;
  Session session(log, {"brk:error=ENOMEM", "mmap:error=ENOMEM:when=1"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  while (count < blocks.size() && log->rules[1].fired == 0) blocks[count++] = malloc(100000);
  for (int i = 0; i < 10 && count < blocks.size(); ++i) blocks[count++] = malloc(100000);
  shim().disarm();
  // After a failed brk libc may never call it again: only the first run in a process tests this.
  static bool is_first = true;
  if (is_first) {
    EXPECT_GE(log->rules[0].fired, 1U);
    EXPECT_EQ(1, log.records_of("brk").at(0).depth);
  }
  is_first = false;
  EXPECT_EQ(1U, log->rules[1].fired);
  size_t failed = 0;
  for (size_t i = 0; i < count; ++i) {
    if (blocks[i] == nullptr) ++failed;
    free(blocks[i]);
  }
  EXPECT_LE(failed, 2U);
}

TEST_F(SystemCalls, ErrnoAndRegistersAreKept) {
  const Log log;
  Session session(log, {}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  errno = EXDEV;
  const pid_t process = getpid();
  const int error = errno;
  // The red zone, vector and other registers across a call.
  const uint64_t mark = UINT64_C(0x123456789abcdef0);
  uint64_t vector = 0;
  uint64_t below = 0;
  uint64_t eighth = mark;
  long result = SYS_getppid;
  asm volatile(
      "movq %[mark], %%xmm9\n\t"
      "movq %[mark], %%r8\n\t"
      "movq %[mark], -120(%%rsp)\n\t"
      "syscall\n\t"
      "movq -120(%%rsp), %[below]\n\t"
      "movq %%xmm9, %[vector]\n\t"
      "movq %%r8, %[eighth]"
      : "+a"(result), [below] "=&r"(below), [vector] "=&r"(vector), [eighth] "=&r"(eighth)
      : [mark] "r"(mark)
      : "rcx", "r11", "r8", "xmm9", "memory");
  shim().disarm();
  EXPECT_EQ(EXDEV, error);
  EXPECT_EQ(getpid(), process);
  EXPECT_EQ(getppid(), result);
  EXPECT_EQ(mark, vector);
  EXPECT_EQ(mark, below);
  EXPECT_EQ(mark, eighth);
}

TEST_F(SystemCalls, SuspendedCallsAreNeitherRecordedNorMadeToFail) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  int results[5] = {};
  ASSERT_EQ(0, session.arm());
  results[0] = dup(0);
  shim().suspend();
  results[1] = dup(0);
  shim().suspend();
  results[2] = dup(0);
  shim().resume();
  results[3] = dup(0);
  shim().resume();
  results[4] = dup(0);
  shim().disarm();
  EXPECT_EQ(-1, results[0]);
  for (int i = 1; i < 4; ++i) {
    EXPECT_GE(results[i], 0);
    close(results[i]);
  }
  EXPECT_EQ(-1, results[4]);
  EXPECT_EQ(2U, log->count);
}

TEST_F(SystemCalls, WithoutTheFlagNothingIsSeen) {
  const Log log;
  Session session(log);
  ASSERT_EQ(0, session.arm());
  close(dup(0));
  shim().disarm();
  EXPECT_EQ(0U, log->count);
}

TEST_F(SystemCalls, AfterDisarmingNothingIsSeen) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  shim().disarm();
  const int fd = dup(0);
  EXPECT_GE(fd, 0);
  close(fd);
  EXPECT_EQ(0U, log->count);
}

TEST_F(SystemCalls, ArmingTwiceChangesNothing) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const int again = session.arm();
  const int error = errno;
  const int fd = dup(0);
  shim().disarm();
  EXPECT_EQ(-1, again);
  EXPECT_EQ(EBUSY, error);
  EXPECT_EQ(-1, fd);
  EXPECT_EQ(1U, log->count);
}

TEST_F(SystemCalls, ARuleForASystemCallNeedsTheFlag) {
  const Log log;
  Session without(log, {"openat:error=EMFILE"});
  errno = 0;
  EXPECT_EQ(-1, without.arm());
  EXPECT_EQ(EINVAL, errno);
  Session with_more(log, {}, {}, kSystemCalls | (RDMAFAULT_INJECTED_ONLY << 1));
  errno = 0;
  EXPECT_EQ(-1, with_more.arm());
  EXPECT_EQ(EINVAL, errno);
  Session good(log, {}, {}, kSystemCalls);
  EXPECT_EQ(0, good.arm());
  shim().disarm();
}

// As on an older kernel: system call `number` of this thread fails with `error` if its first argument is
// `first`; -1: any.
void forbid(uint32_t number, uint32_t first, uint32_t error) {
  const bool any = first == UINT32_MAX;
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, static_cast<uint8_t>(3)),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_JUMP(any ? BPF_JMP | BPF_JGE | BPF_K : BPF_JMP | BPF_JEQ | BPF_K, any ? 0 : first, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(code) / sizeof(*code), code};
  ASSERT_EQ(0, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
  ASSERT_EQ(0, prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0));
}

void expect_enotsup(uint32_t number, uint32_t first, uint32_t error) {
  std::thread([&] {
    forbid(number, first, error);
    const Log log;
    Session session(log, {}, {}, kSystemCalls);
    errno = 0;
    EXPECT_EQ(-1, session.arm());
    EXPECT_EQ(ENOTSUP, errno);
    Session without(log);
    EXPECT_EQ(0, without.arm());
    free(malloc(1));
    shim().disarm();
    EXPECT_EQ(2U, log->count);
  }).join();
}

TEST_F(SystemCalls, AKernelWithoutDispatchGivesEnotsup) {
  expect_enotsup(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, EINVAL);
}

TEST_F(SystemCalls, AKernelThatDoesNotCopyMemoryGivesEnotsup) {
  expect_enotsup(SYS_process_vm_readv, UINT32_MAX, EPERM);
}

TEST_F(SystemCalls, TheProgramsOwnDispatchIsRefused) {
  const Log log;
  Session session(log, {"dup:error=EMFILE"}, {}, kSystemCalls);
  ASSERT_EQ(0, session.arm());
  const int result = prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);
  const int error = errno;
  const int fd = dup(0);
  shim().disarm();
  EXPECT_EQ(-1, result);
  EXPECT_EQ(EINVAL, error);
  EXPECT_EQ(-1, fd);
}

TEST_F(SystemCalls, RulesApplyEvenIfTheLogIsFull) {
  const Log log(2);
  Session session(log, {"dup:error=EMFILE:when=5"}, {}, kSystemCalls);
  int results[5] = {};
  ASSERT_EQ(0, session.arm());
  for (int& result : results) result = dup(0);
  shim().disarm();
  EXPECT_EQ(-1, results[4]);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(0, close(results[i]));
  EXPECT_EQ(5U, log->count);
}

}  // namespace
