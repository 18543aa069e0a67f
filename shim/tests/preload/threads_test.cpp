// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads: whose calls fail and are recorded; and disarming waits for a few stores only.
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <thread>

#include <rdma/rdma_cma.h>

#include "preload_test.h"
#include "toy_rdmacm.h"

namespace {

using Threads = Preloaded;

// A thread that starts before a session is armed and does one thing on command.
class Worker {
 public:
  explicit Worker(std::function<void()> work) : work_(std::move(work)), thread_([this] { run(); }) {
    while (state_.load() != kWaiting) std::this_thread::yield();  // the start of a thread allocates
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    state_.store(kMayEnd);  // the end of a thread frees
    thread_.join();
  }

  void start() { state_.store(kStarted); }
  void wait() const {
    while (state_.load() != kDone) std::this_thread::yield();
  }
  void start_and_wait() {
    start();
    wait();
  }

 private:
  enum State { kNew, kWaiting, kStarted, kDone, kMayEnd };

  void run() {
    state_.store(kWaiting);
    while (state_.load() != kStarted) std::this_thread::yield();
    work_();
    state_.store(kDone);
    while (state_.load() != kMayEnd) std::this_thread::yield();
  }

  std::function<void()> work_;
  std::atomic<State> state_ = kNew;
  std::thread thread_;
};

TEST_F(Threads, RulesApplyToTheArmingThreadAndOthersAreRecorded) {
  const Log log;
  Session session(log, {"malloc:error=ENOMEM"});
  void* theirs = nullptr;
  pid_t their_id = 0;
  Worker worker([&] {
    their_id = gettid();
    theirs = malloc(123);
  });
  ASSERT_EQ(0, session.arm());
  void* const ours = malloc(1);
  worker.start_and_wait();
  shim().disarm();
  EXPECT_EQ(nullptr, ours);
  free(ours);
  EXPECT_NE(nullptr, theirs);
  free(theirs);
  const auto records = log.records_of("malloc");
  ASSERT_EQ(2U, records.size());
  EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED, records[0].flags);
  EXPECT_EQ(gettid(), records[0].thread);
  EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_FOREIGN, records[1].flags);
  EXPECT_EQ(their_id, records[1].thread);
  EXPECT_EQ(123, records[1].args[0]);
  EXPECT_EQ(1U, log->rules[0].seen) << "another thread's call does not count";
}

TEST_F(Threads, ThreadAnyIncludesThreadsThatAreNotArmed) {
  const Log log;
  Session session(log, {"malloc:error=ENOMEM:thread=any:when=2"});
  void* theirs = nullptr;
  Worker worker([&] { theirs = malloc(1); });
  ASSERT_EQ(0, session.arm());
  void* const ours = malloc(1);
  worker.start_and_wait();
  shim().disarm();
  EXPECT_NE(nullptr, ours);
  EXPECT_EQ(nullptr, theirs);
  free(ours);
  free(theirs);
  const auto records = log.records_of("malloc");
  ASSERT_EQ(2U, records.size());
  EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED | RDMAFAULT_FOREIGN, records[1].flags);
  EXPECT_EQ(2U, log->rules[0].seen);
  EXPECT_EQ(1U, log->rules[0].fired);
}

TEST_F(Threads, EachArmedThreadHasItsOwnRulesAndLog) {
  const Log log_a;
  const Log log_b;
  Session session_a(log_a, {"malloc:error=ENOMEM:thread=any"});
  Session session_b(log_b);
  void* b = nullptr;
  int armed = -1;
  std::atomic<bool> is_armed = false;
  std::atomic<bool> may_go = false;
  Worker worker([&] {
    armed = session_b.arm();
    is_armed = true;
    while (!may_go) std::this_thread::yield();
    b = malloc(1);
    shim().disarm();
  });
  worker.start();
  while (!is_armed) std::this_thread::yield();
  ASSERT_EQ(0, session_a.arm());
  void* const a = malloc(1);
  may_go = true;
  worker.wait();
  shim().disarm();
  EXPECT_EQ(0, armed);
  EXPECT_EQ(nullptr, a);
  free(a);
  EXPECT_NE(nullptr, b) << "only its own rules apply to an armed thread, not another's thread=any";
  EXPECT_EQ(1U, log_a.records_of("malloc").size());
  EXPECT_EQ(1U, log_b.records_of("malloc").size());
  EXPECT_EQ(1U, log_a->rules[0].seen);
  free(b);
}

TEST_F(Threads, AForeignCallGoesToEveryArmedLog) {
  const Log log_a;
  const Log log_b;
  Session session_a(log_a);
  Session session_b(log_b, {"malloc:error=ENOMEM:thread=any"});
  std::atomic<bool> is_armed = false;
  std::atomic<bool> may_go = false;
  void* foreign = nullptr;
  Worker caller([&] { foreign = malloc(77); });
  Worker other([&] {
    session_b.arm();
    is_armed = true;
    while (!may_go) std::this_thread::yield();
    shim().disarm();
  });
  ASSERT_EQ(0, session_a.arm());
  other.start();
  while (!is_armed) std::this_thread::yield();
  caller.start_and_wait();
  may_go = true;
  other.wait();
  shim().disarm();
  EXPECT_EQ(nullptr, foreign);
  const auto a = log_a.records_of("malloc");
  const auto b = log_b.records_of("malloc");
  ASSERT_EQ(1U, a.size());
  ASSERT_EQ(1U, b.size());
  constexpr unsigned kFlags = RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED | RDMAFAULT_FOREIGN;
  EXPECT_EQ(kFlags, a[0].flags);
  EXPECT_EQ(kFlags, b[0].flags);
  EXPECT_EQ(RDMAFAULT_NONE, a[0].rule) << "another thread's rule made it fail";
  EXPECT_EQ(0, b[0].rule);
}

TEST_F(Threads, ASuspendedThreadIsInNoLog) {
  const Log log;
  Session session(log, {"malloc:error=ENOMEM:thread=any"});
  void* theirs = nullptr;
  Worker worker([&] {
    shim().suspend();
    theirs = malloc(1);
    shim().resume();
  });
  ASSERT_EQ(0, session.arm());
  worker.start_and_wait();
  shim().disarm();
  EXPECT_NE(nullptr, theirs);
  EXPECT_EQ(0U, log->count);
  free(theirs);
}

TEST_F(Threads, DisarmingDoesNotWaitForAForeignCallThatBlocks) {
  const Log log;
  Session session(log);
  sem_init(&toy_entered, 0, 0);
  sem_init(&toy_release, 0, 0);
  Worker worker([] { rdma_listen(nullptr, kToyBlocks); });
  ASSERT_EQ(0, session.arm());
  worker.start();
  while (sem_wait(&toy_entered) != 0) {
  }
  shim().disarm();  // must not wait for rdma_listen
  sem_post(&toy_release);
  worker.wait();
  const auto records = log.records_of("rdma_listen");
  ASSERT_EQ(1U, records.size());
  EXPECT_EQ(RDMAFAULT_FOREIGN, records[0].flags) << "it returned too late to be completed";
}

TEST_F(Threads, AThreadThatEndsIsDisarmed) {
  const Log log;
  Session session(log);
  for (int i = 0; i < 100; ++i) {
    int result = -1;
    std::thread([&] { result = session.arm(); }).join();
    ASSERT_EQ(0, result) << "after " << i << " threads";
  }
  const uint32_t count = log->count;
  free(malloc(1));
  EXPECT_EQ(count, log->count);
}

// The log's memory is unmapped as soon as its owner has disarmed: a late store crashes.
TEST_F(Threads, NoThreadWritesToALogAfterItsOwnerDisarmed) {
  std::atomic<bool> done = false;
  std::vector<std::thread> callers;
  callers.reserve(3);
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      while (!done) free(malloc(32));
    });
  }
  const size_t size = shim().log_size(256);
  uint64_t foreign = 0;
  for (int round = 0; round < 400 || foreign == 0; ++round) {
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(MAP_FAILED, memory);
    rdmafault_log* const log = shim().log_init(memory, size);
    const rdmafault_session session = {log, nullptr, 0, nullptr, 0, 0};
    ASSERT_EQ(0, shim().arm(&session));
    free(malloc(1));
    if (round % 16 == 0) std::this_thread::yield();
    shim().disarm();
    for (uint32_t i = 0; i < log->count && i < log->capacity; ++i) {
      if ((log->records[i].flags & RDMAFAULT_FOREIGN) != 0) ++foreign;
    }
    munmap(memory, size);
  }
  done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_GT(foreign, 0U);
}

}  // namespace
