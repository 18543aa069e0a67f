// SPDX-License-Identifier: BSD-3-Clause
// The library's interface: failures are in the outcome and nowhere else, calls suspend the thread's rules,
// the state counts objects.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "mocks/rdmamock.h"
#include "mocks/tests/toy_listener.h"
#include "shim/rdmafault.h"

namespace {

thread_local int t_depth = 0;
thread_local int t_pairs = 0;

}  // namespace

// Instead of the shim's: the library's weak references find these.
extern "C" __attribute__((visibility("default"))) void rdmafault_suspend(void) {
  ++t_depth;
  ++t_pairs;
  errno = EPERM;  // the caller must not see this value
}
extern "C" __attribute__((visibility("default"))) void rdmafault_resume(void) {
  --t_depth;
  errno = EPERM;
}

namespace {

rdmamock_outcome end() {
  rdmamock_outcome outcome{};
  rdmamock_end(&outcome);
  return outcome;
}

TEST(Border, EveryCallSuspendsAndResumes) {
  const auto pairs_of = [](auto&& call) {
    const int before = t_pairs;
    call();
    EXPECT_EQ(t_depth, 0);
    return t_pairs - before;
  };
  rdma_event_channel* channel = nullptr;
  rdma_cm_id* id = nullptr;
  EXPECT_EQ(pairs_of([&] { channel = rdma_create_event_channel(); }), 1);
  EXPECT_EQ(pairs_of([&] { rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP); }), 1);
  EXPECT_EQ(pairs_of([&] { rdma_listen(id, 0); }), 1);
  EXPECT_EQ(pairs_of([&] { rdma_destroy_id(id); }), 1);
  EXPECT_EQ(pairs_of([&] { rdma_destroy_event_channel(channel); }), 1);
  EXPECT_EQ(pairs_of([] { rdmamock_begin(nullptr); }), 1);
  EXPECT_EQ(pairs_of([] { end(); }), 1);
}

TEST(Border, ErrnoIsThatOfTheCall) {
  rdma_cm_id* id = nullptr;
  errno = 0;
  ASSERT_EQ(rdma_create_id(nullptr, &id, nullptr, RDMA_PS_TCP), 0);
  EXPECT_EQ(errno, 0);
  EXPECT_EQ(rdma_bind_addr(id, nullptr), -1);
  EXPECT_EQ(errno, EINVAL);
  rdma_addrinfo* info = nullptr;
  errno = 0;
  EXPECT_EQ(rdma_getaddrinfo("localhost", "7000", nullptr, &info), EAI_NONAME);
  EXPECT_EQ(errno, 0);
  EXPECT_EQ(rdma_destroy_id(id), 0);
  EXPECT_EQ(end().failures, 0U);
}

TEST(Border, BrokenCallsAreReportedWithoutAScript) {
  ASSERT_EQ(rdmamock_begin(nullptr), 0);
  rdma_event_channel* channel = rdma_create_event_channel();
  rdma_destroy_event_channel(channel);
  rdma_destroy_event_channel(channel);
  const rdmamock_outcome outcome = end();
  EXPECT_EQ(outcome.failures, 1U);
  EXPECT_THAT(outcome.text, testing::StartsWith("rdma_destroy_event_channel: "));
  EXPECT_EQ(end().failures, 0U) << "each failure is returned once";
}

TEST(Border, FailuresBeforeBeginAreKept) {
  rdma_destroy_event_channel(nullptr);
  ASSERT_EQ(rdmamock_begin(nullptr), 0);
  EXPECT_EQ(end().failures, 1U);
}

TEST(Border, ManyFailuresAreCountedAndTheTextIsCut) {
  ASSERT_EQ(rdmamock_begin(nullptr), 0);
  for (int i = 0; i < 200; ++i) rdma_destroy_event_channel(nullptr);
  const rdmamock_outcome outcome = end();
  EXPECT_EQ(outcome.failures, 200U);
  EXPECT_EQ(std::string(outcome.text).size(), sizeof outcome.text - 1);
}

TEST(Border, AnUnusedScriptFailsWithItsPlaceInTheSource) {
  ASSERT_EQ(rdmamock_begin("ListenFailsWithErrnoZero"), 0);
  const rdmamock_outcome outcome = end();
  EXPECT_GT(outcome.failures, 0U);
  EXPECT_THAT(outcome.text, testing::StartsWith("mocks/scripts_listen.cpp:")) << "without a machine's path";
}

// The output of a process that breaks many rules.
std::string printed_by_failures() {
  std::fflush(nullptr);  // the child must not write the parent's buffers
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    close(ends[1]);
    rdmamock_begin("ListenAsksForRightThings");
    toy::Endpoint endpoint;
    toy::listen(RDMAMOCK_ADDR, RDMAMOCK_PORT, toy::Mistake::FreesInfoTwice, &endpoint);
    rdma_destroy_event_channel(endpoint.channel);
    rdma_destroy_id(nullptr);
    const rdmamock_outcome outcome = end();
    rdmamock_begin("BindFailsThenWorks");  // not ended before exit
    // NOLINTNEXTLINE(concurrency-mt-unsafe): exit handlers are part of the test
    exit(outcome.failures > 2 ? 0 : 1);
  }
  close(ends[1]);
  std::string printed;
  char buffer[256];
  for (ssize_t size = 0; (size = read(ends[0], buffer, sizeof buffer)) > 0;)
    printed.append(buffer, static_cast<size_t>(size));
  close(ends[0]);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  return printed;
}

TEST(Border, NothingIsPrintedAndNothingAborts) {
  EXPECT_EQ(printed_by_failures(), "");
}

TEST(Border, StateCountsWhatIsHeld) {
  const auto state = [] {
    struct rdmamock_state held {};
    rdmamock_state(&held);
    return held;
  };
  toy::Endpoint endpoint;
  ASSERT_EQ(toy::listen(RDMAMOCK_ADDR, RDMAMOCK_PORT, toy::Mistake::None, &endpoint), 0);
  EXPECT_EQ(state().channels, 1U);
  EXPECT_EQ(state().ids, 1U);
  EXPECT_EQ(state().listeners, 1U);
  EXPECT_EQ(state().addrinfos, 0U);
  toy::shut_down(endpoint, toy::Mistake::None);
  EXPECT_EQ(state().channels, 0U);
  EXPECT_EQ(state().ids, 0U);
  rdma_cm_id* id = nullptr;
  ASSERT_EQ(rdma_create_id(nullptr, &id, nullptr, RDMA_PS_TCP), 0);
  EXPECT_EQ(state().channels, 0U) << "the internal channel of an id is not counted";
  EXPECT_EQ(state().ids, 1U);
  EXPECT_EQ(rdma_destroy_id(id), 0);
}

TEST(Border, ThreadsUseTheLibraryWhileScriptsComeAndGo) {
  std::thread busy([] {
    for (int i = 0; i < 300; ++i) {
      rdma_cm_id* id = nullptr;
      EXPECT_EQ(rdma_create_id(nullptr, &id, nullptr, RDMA_PS_TCP), 0);
      EXPECT_EQ(rdma_destroy_id(id), 0);
    }
  });
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(rdmamock_begin("AddressChangesDuringListen"), 0);
    toy::Endpoint endpoint;
    EXPECT_EQ(toy::listen(RDMAMOCK_ADDR, RDMAMOCK_PORT, toy::Mistake::None, &endpoint), 0);
    toy::shut_down(endpoint, toy::Mistake::None);
    const rdmamock_outcome outcome = end();
    EXPECT_EQ(outcome.failures, 0U) << outcome.text;
  }
  busy.join();
}

}  // namespace
