// SPDX-License-Identifier: BSD-3-Clause
//
// Which calls fail: caller=, roles, several rules, and what the log holds about them. (when= and prob= are in
// core_test.cpp.)
#include <dlfcn.h>
#include <rdma/rdma_cma.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "preload_test.h"
#include "toy_rdmacm.h"

extern "C" void* call_malloc_from_here(std::size_t size);

namespace {

using Rules = Preloaded;

// Which of ten calls failed, one character each.
std::string ten_calls(void* (*allocate)(std::size_t), Session& session) {
  char failed[11] = "";
  EXPECT_EQ(0, session.arm());
  for (int i = 0; i < 10; ++i) {
    void* const block = allocate(100);
    failed[i] = block == nullptr ? 'X' : '.';
    free(block);
  }
  shim().disarm();
  return failed;
}

std::string ten_calls(const std::string& rule, void* (*allocate)(std::size_t) = &malloc) {
  const Log log;
  Session session(log, {rule});
  return ten_calls(allocate, session);
}

TEST_F(Rules, WithoutARuleCallsAreRecordedAndSucceed) {
  const Log log;
  Session session(log);
  EXPECT_EQ("..........", ten_calls(&malloc, session));
  EXPECT_EQ(10U, log.records_of("malloc").size());
  EXPECT_EQ(10U, log.records_of("free").size());
}

TEST_F(Rules, CallerIsTheModuleOfTheReturnAddress) {
  const std::string start = "malloc:error=ENOMEM:caller=";
  constexpr const char* kAll = "XXXXXXXXXX";
  constexpr const char* kNone = "..........";
  EXPECT_EQ(kAll, ten_calls(start + "main"));
  EXPECT_EQ(kNone, ten_calls(start + "!main"));
  EXPECT_EQ(kNone, ten_calls(start + "libcaller.so.1"));
  EXPECT_EQ(kAll, ten_calls(start + "!libcaller.so.1"));
  EXPECT_EQ(kNone, ten_calls(start + "main", &call_malloc_from_here));
  EXPECT_EQ(kAll, ten_calls(start + "!main", &call_malloc_from_here));
  EXPECT_EQ(kAll, ten_calls(start + "libcaller.so.1", &call_malloc_from_here));
  EXPECT_EQ(kNone, ten_calls(start + "libcaller.so", &call_malloc_from_here))
      << "a SONAME must match completely";
  EXPECT_EQ(kNone, ten_calls(start + "!libcaller.so.1", &call_malloc_from_here));
}

// With RDMAFAULT_INJECTED_ONLY the same calls fail, and only they are in the log.
TEST_F(Rules, WithInjectedOnlyOnlyFailedCallsAreRecorded) {
  for (const char* rule : {"malloc:error=ENOMEM:when=3", "malloc:error=ENOMEM:when=2+3:caller=main",
                           "allocation:error=ENOMEM:when=4+", "malloc:error=ENOMEM:caller=libcaller.so.1",
                           "calloc:error=ENOMEM", "malloc:error=ENOMEM:when=11"}) {
    const Log all;
    Session recorded(all, {rule});
    const std::string failed = ten_calls(&malloc, recorded);
    const Log log;
    Session session(log, {rule}, {}, RDMAFAULT_INJECTED_ONLY);
    EXPECT_EQ(failed, ten_calls(&malloc, session)) << rule;
    EXPECT_EQ(log->rules[0].seen, all->rules[0].seen) << rule;
    EXPECT_EQ(log->rules[0].fired, all->rules[0].fired) << rule;
    EXPECT_EQ(log->count, all->rules[0].fired) << rule;
    EXPECT_EQ(log.records_of("malloc").size(), log->count) << rule;
  }
}

// What is remembered of one caller and function must not apply to another one, or to the next armed time.
TEST_F(Rules, WithInjectedOnlyEachCallerIsJudged) {
  const Log log;
  Session session(log,
                  {"malloc:error=ENOMEM:caller=libcaller.so.1", "calloc:error=ENOMEM:when=2:caller=main"}, {},
                  RDMAFAULT_INJECTED_ONLY);
  void* (*const volatile from_here)(std::size_t) = &malloc;
  ASSERT_EQ(0, session.arm());
  std::string failed;
  for (int i = 0; i < 3; ++i) {
    void* const here = from_here(100);
    void* const there = call_malloc_from_here(100);
    void* const zeroed = calloc(1, 100);
    failed += here == nullptr ? 'X' : '.';
    failed += there == nullptr ? 'X' : '.';
    failed += zeroed == nullptr ? 'X' : '.';
    free(here);
    free(there);
    free(zeroed);
  }
  shim().disarm();
  EXPECT_EQ(".X..XX.X.", failed);
  EXPECT_EQ(4U, log->count);
  const Log next;
  Session other(next, {"malloc:error=ENOMEM:when=2:caller=main"}, {}, RDMAFAULT_INJECTED_ONLY);
  EXPECT_EQ(".X........", ten_calls(&malloc, other));
  const Log whole;
  Session recorded(whole, {"malloc:error=ENOMEM:when=2"});
  EXPECT_EQ(".X........", ten_calls(&malloc, recorded));
  EXPECT_EQ(10U, whole.records_of("free").size());
}

TEST_F(Rules, AModuleWithoutASonameHasItsBaseName) {
  void* const handle = dlopen(CALLER_WITHOUT_SONAME, RTLD_NOW);
  ASSERT_NE(nullptr, handle) << dlerror();
  auto* const allocate = reinterpret_cast<void* (*)(std::size_t)>(dlsym(handle, "call_malloc_from_here"));
  EXPECT_EQ("XXXXXXXXXX", ten_calls("malloc:error=ENOMEM:caller=libcaller_without_soname.so", allocate));
  EXPECT_EQ("..........", ten_calls("malloc:error=ENOMEM:caller=libcaller.so.1", allocate));
  const Log log;
  Session session(log, {"malloc:error=ENOMEM:caller=@by_path"}, {{"by_path", CALLER_WITHOUT_SONAME}});
  EXPECT_EQ("XXXXXXXXXX", ten_calls(allocate, session));
  EXPECT_STREQ(CALLER_WITHOUT_SONAME, log->modules[0].path);
  dlclose(handle);
}

TEST_F(Rules, ARoleMatchesItsModules) {
  struct Case {
    const char* filter;
    const char* from_main;
    const char* from_library;
  };
  const Case cases[] = {{"@iut", "..........", "XXXXXXXXXX"},     {"!@iut", "XXXXXXXXXX", ".........."},
                        {"@harness", "XXXXXXXXXX", ".........."}, {"!@harness", "..........", "XXXXXXXXXX"},
                        {"@nobody", "..........", ".........."},  {"!@nobody", "XXXXXXXXXX", "XXXXXXXXXX"}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.filter);
    const Log log;
    Session session(log, {std::string("malloc:error=ENOMEM:caller=") + one.filter},
                    {{"iut", "libcaller.so.1"}, {"harness", "main"}});
    EXPECT_EQ(one.from_main, ten_calls(&malloc, session));
    EXPECT_EQ(one.from_library, ten_calls(&call_malloc_from_here, session));
    const auto records = log.records_of("malloc", "libcaller.so.1");
    ASSERT_EQ(10U, records.size());
    EXPECT_EQ(0, log->modules[records[0].module].role);
  }
}

TEST_F(Rules, CountsAreKeptPerRuleAfterItsFilters) {
  const Log log;
  Session session(
      log, {"malloc:error=ENOMEM:when=2:caller=main", "malloc:error=ENOMEM:when=2:caller=libcaller.so.1"});
  ASSERT_EQ(0, session.arm());
  void* const a = malloc(1);
  void* const b = call_malloc_from_here(1);
  void* const c = malloc(1);
  void* const d = call_malloc_from_here(1);
  void* const e = malloc(1);
  shim().disarm();
  EXPECT_NE(nullptr, a);
  EXPECT_NE(nullptr, b);
  EXPECT_EQ(nullptr, c);
  EXPECT_EQ(nullptr, d);
  EXPECT_NE(nullptr, e);
  EXPECT_EQ(3U, log->rules[0].seen);
  EXPECT_EQ(2U, log->rules[1].seen);
  EXPECT_EQ(1U, log->rules[0].fired);
  EXPECT_EQ(1U, log->rules[1].fired);
  free(a);
  free(b);
  free(e);
}

TEST_F(Rules, ACallMadeWithinAnInterposedFunctionIsOneDeeper) {
  const Log log;
  Session session(log, {"calloc:error=ENOMEM:caller=libtoy_rdmacm.so:when=2"});
  ASSERT_EQ(0, session.arm());
  rdma_event_channel* const first = rdma_create_event_channel();
  rdma_event_channel* const second = rdma_create_event_channel();
  shim().disarm();
  EXPECT_NE(nullptr, first);
  EXPECT_EQ(nullptr, second);
  ASSERT_EQ(4U, log->count);
  EXPECT_EQ(0, log->records[0].depth);
  EXPECT_EQ(1, log->records[1].depth);
  EXPECT_EQ("main", log.module_of(log->records[0]));
  EXPECT_EQ("libtoy_rdmacm.so", log.module_of(log->records[1]));
  EXPECT_EQ(RDMAFAULT_COMPLETE, log->records[2].flags) << "the channel failed without a rule";
  EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED, log->records[3].flags);
  EXPECT_EQ(0, log->records[2].depth);
  rdma_destroy_event_channel(first);
}

TEST_F(Rules, AllocationIsEveryAllocatorCountedTogether) {
  const Log log;
  Session session(log, {"allocation:error=ENOMEM:when=4+:caller=main"});
  void* aligned = nullptr;
  ASSERT_EQ(0, session.arm());
  void* const first = malloc(1);
  void* const second = calloc(1, 1);
  void* const third = reallocarray(nullptr, 2, 8);
  const int code = posix_memalign(&aligned, 64, 64);
  void* const fifth = malloc(1);
  free(first);
  shim().disarm();
  EXPECT_NE(nullptr, second);
  EXPECT_NE(nullptr, third);
  EXPECT_EQ(ENOMEM, code);
  EXPECT_EQ(nullptr, fifth);
  free(fifth);
  EXPECT_EQ(5U, log->rules[0].seen);
  EXPECT_EQ(2U, log->rules[0].fired);
  free(second);
  free(third);
}

// reallocarray calls realloc: without caller= the second of the two fails.
TEST_F(Rules, AnAllocationInsideAnAllocationCountsToo) {
  const Log log;
  Session session(log, {"allocation:error=ENOMEM:when=2"});
  ASSERT_EQ(0, session.arm());
  void* const block = reallocarray(nullptr, 2, 8);
  shim().disarm();
  EXPECT_EQ(nullptr, block);
  EXPECT_EQ(2U, log->rules[0].seen);
  EXPECT_EQ(RDMAFAULT_COMPLETE, log.records_of("reallocarray").at(0).flags);
  EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED, log.records_of("realloc", "libc.so.6").at(0).flags);
}

TEST_F(Rules, SuspendedCallsAreNeitherRecordedNorMadeToFail) {
  const Log log;
  Session session(log, {"malloc:error=ENOMEM"});
  void* blocks[5];
  ASSERT_EQ(0, session.arm());
  blocks[0] = malloc(1);
  shim().suspend();
  blocks[1] = malloc(1);
  shim().suspend();
  blocks[2] = malloc(1);
  shim().resume();
  blocks[3] = malloc(1);
  shim().resume();
  blocks[4] = malloc(1);
  shim().disarm();
  EXPECT_EQ(nullptr, blocks[0]);
  for (int i = 1; i < 4; ++i) EXPECT_NE(nullptr, blocks[i]);
  EXPECT_EQ(nullptr, blocks[4]);
  EXPECT_EQ(2U, log->count);
  for (void* block : blocks) free(block);
}

TEST_F(Rules, DisarmedCallsAreNotRecorded) {
  const Log log;
  Session session(log, {"malloc:error=ENOMEM"});
  ASSERT_EQ(0, session.arm());
  shim().disarm();
  void* const block = malloc(1);
  EXPECT_NE(nullptr, block);
  free(block);
  EXPECT_EQ(0U, log->count);
}

TEST_F(Rules, ErrnoOnlyChangesIfTheCallSetsIt) {
  const Log log;
  Session session(log, {"malloc:error=ENOMEM:when=2", "rdma_getaddrinfo:retval=EAI_FAIL"});
  rdma_addrinfo* info = nullptr;
  ASSERT_EQ(0, session.arm());
  errno = EXDEV;
  void* const first = malloc(1);
  const int after_success = errno;
  rdma_getaddrinfo("1", "2", nullptr, &info);
  const int after_value = errno;
  rdma_listen(nullptr, kToyFails);
  const int after_true_failure = errno;
  void* const second = malloc(1);
  const int after_injected = errno;
  shim().disarm();
  EXPECT_EQ(EXDEV, after_success);
  EXPECT_EQ(EXDEV, after_value);
  EXPECT_EQ(EADDRINUSE, after_true_failure);
  EXPECT_EQ(ENOMEM, after_injected);
  EXPECT_EQ(nullptr, second);
  const auto listens = log.records_of("rdma_listen");
  ASSERT_EQ(1U, listens.size());
  EXPECT_EQ(EADDRINUSE, listens[0].error);
  EXPECT_EQ(-1, listens[0].result);
  EXPECT_EQ(RDMAFAULT_COMPLETE, listens[0].flags);
  free(first);
}

}  // namespace
