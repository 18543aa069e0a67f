// SPDX-License-Identifier: BSD-3-Clause
//
// The armed state without interposition, for the sanitizers: the tests call enter() and leave() themselves.
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>
#include <vector>

#include "shim/rdmafault.h"
#include "shim/session.h"
#include "shim/tests/parsed.h"

namespace {

using rdmafault::Call;
using rdmafault::Function;

// Memory for a log, and the log in it.
class Log {
 public:
  explicit Log(uint32_t capacity) : memory_(rdmafault_log_size(capacity) / 8) {
    log_ = rdmafault_log_init(memory_.data(), memory_.size() * 8);
  }
  rdmafault_log* get() const { return log_; }
  rdmafault_log* operator->() const { return log_; }

 private:
  std::vector<uint64_t> memory_;
  rdmafault_log* log_;
};

int arm(const Log& log, const std::vector<rdmafault_rule>& rules = {}) {
  return rdmafault::arm({log.get(), rules.data(), rules.size(), nullptr, 0, 0});
}

// Makes one call, as the interposed function would. Returns whether it was made to fail.
bool call_once(Function function = Function::malloc) {
  if (rdmafault::disarmed()) return false;
  Call call(function, __builtin_return_address(0));
  call.args[0] = 42;
  rdmafault::enter(call);
  rdmafault::leave(call, call.injected ? 0 : 1, call.injected ? call.value : 0);
  return call.injected;
}

TEST(Engine, ARecordHoldsTheCall) {
  const Log log(4);
  ASSERT_EQ(0, arm(log, {parsed("malloc:error=ENOMEM:when=2")}));
  EXPECT_FALSE(call_once());
  EXPECT_TRUE(call_once());
  rdmafault::disarm();
  EXPECT_FALSE(call_once());
  ASSERT_EQ(2U, log->count);
  EXPECT_EQ(RDMAFAULT_COMPLETE, log->records[0].flags);
  EXPECT_EQ(RDMAFAULT_NONE, log->records[0].rule);
  EXPECT_EQ(1, log->records[0].result);
  EXPECT_EQ(42, log->records[0].args[0]);
  EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED, log->records[1].flags);
  EXPECT_EQ(0, log->records[1].rule);
  EXPECT_EQ(ENOMEM, log->records[1].error);
  EXPECT_EQ(gettid(), log->records[1].thread);
  EXPECT_EQ(2U, log->rules[0].seen);
  EXPECT_EQ(1U, log->rules[0].fired);
}

TEST(Engine, ACallThatNeverReturnsStaysIncomplete) {
  const Log log(4);
  ASSERT_EQ(0, arm(log));
  Call call(Function::rdma_listen, __builtin_return_address(0));
  rdmafault::enter(call);
  rdmafault::disarm();
  rdmafault::leave(call, 0, 0);
  EXPECT_EQ(1U, log->count);
  EXPECT_EQ(0, log->records[0].flags);
}

TEST(Engine, EachRuleCountsAndTheFirstToFireDecides) {
  const Log log(8);
  ASSERT_EQ(0, arm(log, {parsed("malloc:error=ENOMEM:when=2"), parsed("malloc:error=ENOMEM:when=2+"),
                         parsed("calloc:error=ENOMEM")}));
  for (int i = 0; i < 3; ++i) call_once();
  rdmafault::disarm();
  EXPECT_EQ(3U, log->rules[0].seen);
  EXPECT_EQ(1U, log->rules[0].fired);
  EXPECT_EQ(3U, log->rules[1].seen);
  EXPECT_EQ(1U, log->rules[1].fired);
  EXPECT_EQ(0U, log->rules[2].seen);
  EXPECT_EQ(0, log->records[1].rule);
  EXPECT_EQ(1, log->records[2].rule);
}

TEST(Engine, ARuleForEveryAllocatorCountsThemTogether) {
  const Log log(16);
  ASSERT_EQ(0, arm(log, {parsed("allocation:error=ENOMEM:when=4")}));
  EXPECT_FALSE(call_once(Function::malloc));
  EXPECT_FALSE(call_once(Function::free));
  EXPECT_FALSE(call_once(Function::posix_memalign));
  EXPECT_FALSE(call_once(Function::rdma_listen));
  EXPECT_FALSE(call_once(Function::malloc));
  EXPECT_TRUE(call_once(Function::calloc));
  EXPECT_FALSE(call_once(Function::malloc));
  rdmafault::disarm();
  EXPECT_EQ(5U, log->rules[0].seen);
  EXPECT_EQ(1U, log->rules[0].fired);
}

TEST(Engine, ARecordHasATextOrNone) {
  const Log log(2);
  std::memset(log->records, 'x', 2 * sizeof(rdmafault_record));
  ASSERT_EQ(0, arm(log));
  call_once();
  const char text[RDMAFAULT_TEXT_SIZE] = "/etc/hosts";
  Call call(Function::malloc, __builtin_return_address(0));
  call.text = text;
  rdmafault::enter(call);
  rdmafault::disarm();
  EXPECT_STREQ("", log->records[0].text);
  EXPECT_STREQ("/etc/hosts", log->records[1].text);
}

TEST(Engine, RecordsBeyondTheCapacityAreCountedAndDropped) {
  const Log log(2);
  ASSERT_EQ(0, arm(log, {parsed("malloc:error=ENOMEM:when=5")}));
  for (int i = 0; i < 4; ++i) call_once();
  EXPECT_TRUE(call_once()) << "rules apply even if the log is full";
  rdmafault::disarm();
  EXPECT_EQ(5U, log->count);
  EXPECT_EQ(2U, log->capacity);
}

TEST(Engine, ARearmedLogIsAppendedTo) {
  const Log log(8);
  ASSERT_EQ(0, arm(log, {parsed("malloc:error=ENOMEM:when=1")}));
  EXPECT_TRUE(call_once());
  rdmafault::disarm();
  ASSERT_EQ(0, arm(log, {parsed("malloc:error=ENOMEM:when=1:caller=main"),
                         parsed("malloc:error=ENOMEM:when=1:caller=!main")}));
  EXPECT_TRUE(call_once());
  rdmafault::disarm();
  EXPECT_EQ(2U, log->count);
  EXPECT_EQ(1U, log->module_count) << "the module is the same";
  EXPECT_EQ(log->records[0].module, log->records[1].module);
  EXPECT_STREQ("main", log->modules[0].soname);
  EXPECT_EQ(1U, log->modules[0].rules) << "the filters are those of the second time";
  EXPECT_EQ(1U, log->rules[0].seen) << "the counters begin again";
}

TEST(Engine, BadRequestsAreRefused) {
  const Log log(1);
  const rdmafault_rule good = parsed("malloc:error=ENOMEM");
  EXPECT_EQ(EINVAL, rdmafault::arm({nullptr, nullptr, 0, nullptr, 0, 0}));
  EXPECT_EQ(EINVAL, arm(log, std::vector<rdmafault_rule>(RDMAFAULT_MAX_RULES + 1, good)));
  rdmafault_rule bad = good;
  bad.step = 0;
  EXPECT_EQ(EINVAL, arm(log, {bad}));
  bad = good;
  bad.function = 9999;
  EXPECT_EQ(EINVAL, arm(log, {bad}));
  bad = good;
  for (char& c : bad.caller_name) c = 'x';
  EXPECT_EQ(EINVAL, arm(log, {bad}));
  EXPECT_EQ(EINVAL, rdmafault::arm({log.get(), nullptr, 1, nullptr, 0, 0}));
  EXPECT_EQ(EINVAL, rdmafault::arm({log.get(), nullptr, 0, nullptr, RDMAFAULT_MAX_ROLES + 1, 0}));
  bad = good;
  bad.function = RDMAFAULT_ANY_ALLOCATOR - 1;
  EXPECT_EQ(EINVAL, arm(log, {bad}));
  EXPECT_EQ(EINVAL, rdmafault::arm({log.get(), nullptr, 0, nullptr, 0, RDMAFAULT_INJECTED_ONLY << 1}));
  EXPECT_EQ(EINVAL, arm(log, {parsed("openat:error=EMFILE")})) << "system calls are not seen";
  log->abi = RDMAFAULT_ABI + 1;
  EXPECT_EQ(EINVAL, arm(log));
  log->abi = RDMAFAULT_ABI;
  EXPECT_EQ(0, arm(log));
  EXPECT_EQ(EBUSY, arm(log));
  rdmafault::disarm();
  rdmafault::disarm();
}

TEST(Engine, AsManyThreadsAsThereAreSessionsCanBeArmed) {
  std::atomic<unsigned> armed = 0;
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (size_t i = 0; i < rdmafault::kMaxSessions; ++i) {
    threads.emplace_back([&] {
      const Log log(1);
      EXPECT_EQ(0, arm(log));
      ++armed;
      while (!done) std::this_thread::yield();
      rdmafault::disarm();
    });
  }
  while (armed < rdmafault::kMaxSessions) std::this_thread::yield();
  const Log log(1);
  EXPECT_EQ(EAGAIN, arm(log));
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(0, arm(log));
  rdmafault::disarm();
}

// Threads call all the time while others arm and disarm. Each log is freed when it is disarmed: a late write
// is a use after free.
TEST(Engine, NoThreadWritesToALogAfterItsOwnerDisarmed) {
  std::atomic<bool> done = false;
  std::atomic<uint64_t> failed = 0;
  std::vector<std::thread> callers;
  callers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!done) failed += call_once() ? 1 : 0;
    });
  }
  std::vector<std::thread> owners;
  std::atomic<uint64_t> foreign = 0;
  std::atomic<uint64_t> fired = 0;
  owners.reserve(2);
  for (int i = 0; i < 2; ++i) {
    owners.emplace_back([&] {
      // Go on until both events have happened: when threads meet depends on the scheduler.
      for (int round = 0; round < 300 || foreign == 0 || failed == 0; ++round) {
        const Log log(64);
        ASSERT_EQ(0, arm(log, {parsed("malloc:error=ENOMEM:when=1+2:thread=any")}));
        for (int n = 0; n < 10; ++n) call_once();
        rdmafault::disarm();
        fired += log->rules[0].fired;
        for (uint32_t n = 0; n < log->count && n < log->capacity; ++n) {
          if ((log->records[n].flags & RDMAFAULT_FOREIGN) != 0) ++foreign;
        }
      }
    });
  }
  for (std::thread& owner : owners) owner.join();
  done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_GT(foreign, 0U);
  EXPECT_GT(failed, 0U);
  EXPECT_GE(fired, failed) << "a foreign call fails only if a rule counted it";
}

// Two threads make their first calls at nearly the same moment, with a different delay each time.
TEST(Engine, AModuleGetsOneEntryFromTwoThreads) {
  constexpr int kRounds = 20000;
  std::atomic<int> round = 0;
  std::atomic<int> called = 0;
  std::thread other([&] {
    for (int mine = 1; mine <= kRounds; ++mine) {
      for (int spins = 0; round < mine; ++spins)
        if (spins > 2000) std::this_thread::yield();
      call_once();
      called = mine;
    }
  });
  int modules = 0;
  for (int now = 1; now <= kRounds; ++now) {
    const Log log(4);
    EXPECT_EQ(0, arm(log));
    round = now;
    for (int delay = now % 100; delay > 0; --delay) asm volatile("");
    call_once();
    while (called < now) std::this_thread::yield();
    rdmafault::disarm();
    modules += static_cast<int>(log->module_count);
  }
  other.join();
  EXPECT_EQ(kRounds, modules);
}

TEST(Objects, ASnapshotFindsTheSameObjectsAsTheLoader) {
  rdmafault::objects::initialise();
  ASSERT_FALSE(rdmafault::objects::need_snapshot());
  static rdmafault::Snapshot snapshot;
  snapshot.take();
  int local = 0;
  for (const void* address :
       {reinterpret_cast<const void*>(&call_once), reinterpret_cast<const void*>(&gettid)}) {
    const auto number = reinterpret_cast<uint64_t>(address);
    rdmafault::Object by_loader;
    rdmafault::Object by_snapshot;
    ASSERT_TRUE(rdmafault::objects::find(number, snapshot, by_loader));
    ASSERT_TRUE(snapshot.find(number, by_snapshot));
    EXPECT_EQ(by_loader.base, by_snapshot.base);
    EXPECT_EQ(by_loader.soname(), by_snapshot.soname());
    EXPECT_EQ(by_loader.path(), by_snapshot.path());
    EXPECT_EQ('/', by_snapshot.path()[0]);
  }
  rdmafault::Object none;
  EXPECT_FALSE(snapshot.find(reinterpret_cast<uint64_t>(&local), none));
  EXPECT_FALSE(rdmafault::objects::find(reinterpret_cast<uint64_t>(&local), snapshot, none));
}

// A fork while another thread makes calls: in the child no thread is armed, and it can arm at once.
TEST(Engine, AForkedChildStartsDisarmed) {
  const Log log(64);
  std::atomic<bool> done = false;
  std::thread caller([&] {
    while (!done) call_once();
  });
  ASSERT_EQ(0, arm(log));
  pthread_atfork(rdmafault::before_fork, rdmafault::after_fork_in_parent, rdmafault::after_fork_in_child);
  for (int round = 0; round < 20; ++round) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool good =
          rdmafault::disarmed() && rdmafault::thread.own == nullptr && rdmafault::thread.suspended == 0;
      const rdmafault_session again = {log.get(), nullptr, 0, nullptr, 0, 0};
      good = good && rdmafault::arm(again) == 0;
      rdmafault::disarm();
      _exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(child, waitpid(child, &status, 0));
    EXPECT_EQ(0, status);
  }
  EXPECT_EQ(0U, rdmafault::thread.suspended);
  EXPECT_NE(nullptr, rdmafault::thread.own) << "the parent stays armed";
  rdmafault::disarm();
  done = true;
  caller.join();
}

}  // namespace
