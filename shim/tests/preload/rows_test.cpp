// SPDX-License-Identifier: BSD-3-Clause
//
// Every row of the function table: each legal failure is reported as the row says, without a call of the next
// function and without a change of an out-parameter; a forwarded call is recorded with its arguments and
// handles.
#include <arpa/inet.h>
#include <infiniband/ib.h>
#include <malloc.h>
#include <rdma/rdma_cma.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <map>

#include "preload_test.h"
#include "toy_rdmacm.h"

namespace {

using Rows = Preloaded;

// The value of an out-parameter before a call.
template <class T>
T* sentinel() {
  return reinterpret_cast<T*>(UINT64_C(0x5a5a5a5a5a5a5a50));
}

struct Outcome {
  int64_t result;
  bool untouched;  // the out-parameter, and the block to release
};

template <class T>
Outcome pointer(T* result, bool untouched = true) {
  return {static_cast<int64_t>(reinterpret_cast<uintptr_t>(result)), untouched};
}

rdma_cm_id fake_id;

// One call of each function that can fail. The test fails if a row has none here.
const std::map<std::string, Outcome (*)()> kCalls = {
    {"rdma_create_event_channel", [] { return pointer(rdma_create_event_channel()); }},
    {"rdma_create_id",
     [] {
       auto* id = sentinel<rdma_cm_id>();
       const int result = rdma_create_id(nullptr, &id, nullptr, RDMA_PS_TCP);
       return Outcome{result, id == sentinel<rdma_cm_id>()};
     }},
    {"rdma_getaddrinfo",
     [] {
       auto* info = sentinel<rdma_addrinfo>();
       const int result = rdma_getaddrinfo("127.0.0.1", "7471", nullptr, &info);
       return Outcome{result, info == sentinel<rdma_addrinfo>()};
     }},
    {"rdma_bind_addr",
     [] {
       sockaddr_in address = {};
       return Outcome{rdma_bind_addr(&fake_id, reinterpret_cast<sockaddr*>(&address)), true};
     }},
    {"rdma_listen",
     [] {
       return Outcome{rdma_listen(&fake_id, 1), true};
     }},
    // A real destruction would free it, and crash.
    {"rdma_destroy_id",
     [] {
       return Outcome{rdma_destroy_id(&fake_id), true};
     }},
    {"malloc", [] { return pointer(malloc(1)); }},
    {"calloc", [] { return pointer(calloc(1, 1)); }},
    {"realloc",
     [] {
       static char block[] = "not on the heap";
       void* volatile old = block;
       return pointer(realloc(old, 1), std::strcmp(block, "not on the heap") == 0);
     }},
    {"reallocarray",
     [] {
       static char block[] = "not on the heap";
       void* volatile old = block;
       return pointer(reallocarray(old, 1, 1), std::strcmp(block, "not on the heap") == 0);
     }},
    {"posix_memalign",
     [] {
       void* block = sentinel<void>();
       const int result = posix_memalign(&block, 64, 64);
       return Outcome{result, block == sentinel<void>()};
     }},
    {"aligned_alloc", [] { return pointer(aligned_alloc(64, 64)); }},
    {"memalign", [] { return pointer(memalign(64, 64)); }},
};

void expect_failure(const rdmafault_function& row, const std::string& rule_text, int value, bool is_retval) {
  SCOPED_TRACE(rule_text);
  const auto call = kCalls.find(row.name);
  ASSERT_NE(kCalls.end(), call) << "add a call for this row to kCalls";
  const Log log;
  Session session(log, {rule_text});
  const int made_before = toy_count(row.name);
  ASSERT_EQ(0, session.arm());
  errno = EXDEV;
  const Outcome outcome = call->second();
  const int error = errno;
  shim().disarm();

  bool sets_errno = !is_retval;
  int64_t expected = -1;
  if (row.convention == RDMAFAULT_POINTER) expected = 0;
  if (row.convention == RDMAFAULT_CODE) {
    expected = value;
    sets_errno = false;
  }
  if (is_retval) expected = value;
  EXPECT_EQ(expected, outcome.result);
  EXPECT_EQ(sets_errno ? value : EXDEV, error);
  EXPECT_TRUE(outcome.untouched);
  EXPECT_EQ(made_before, toy_count(row.name)) << "the next function was called";

  const auto records = log.records_of(row.name);
  ASSERT_EQ(1U, records.size());
  EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED, records[0].flags);
  EXPECT_EQ(0, records[0].rule);
  EXPECT_EQ(expected, records[0].result);
  EXPECT_EQ(error, records[0].error);
  EXPECT_EQ(0U, records[0].acquired);
  EXPECT_EQ(row.releases != RDMAFAULT_NO_RESOURCE, records[0].released != 0);
  EXPECT_EQ(1U, log->rules[0].seen);
  EXPECT_EQ(1U, log->rules[0].fired);
}

TEST_F(Rows, EveryLegalFailureIsReportedAsTheRowSays) {
  size_t count = 0;
  const rdmafault_function* functions = shim().functions(&count);
  size_t tried = 0;
  for (size_t i = 0; i < count; ++i) {
    const rdmafault_function& row = functions[i];
    if (row.kind == RDMAFAULT_SYSTEM_CALL) continue;  // system_rows_test.cpp
    const rdmafault_name* name = row.errors;
    for (; name != nullptr && name->name != nullptr; ++name, ++tried) {
      expect_failure(row, std::string(row.name) + ":error=" + name->name, name->value, false);
    }
    name = row.values;
    for (; name != nullptr && name->name != nullptr; ++name, ++tried) {
      expect_failure(row, std::string(row.name) + ":retval=" + name->name, name->value, true);
    }
  }
  EXPECT_GE(tried, 60U);
}

// The only record of `function`.
rdmafault_record only(const Log& log, const char* function) {
  const auto records = log.records_of(function);
  EXPECT_EQ(1U, records.size()) << function;
  if (records.size() != 1) return {};
  EXPECT_EQ(RDMAFAULT_COMPLETE, records[0].flags) << function;
  EXPECT_EQ(RDMAFAULT_NONE, records[0].rule) << function;
  return records[0];
}

int64_t number(const void* pointer) {
  return static_cast<int64_t>(reinterpret_cast<uintptr_t>(pointer));
}
uint64_t handle(const void* pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

// The record's argument of that name.
int64_t arg(const rdmafault_record& record, const char* name) {
  const rdmafault_function& row = shim().functions(nullptr)[record.function];
  for (size_t i = 0; i < RDMAFAULT_MAX_ARGS && row.args[i] != nullptr; ++i) {
    if (std::strcmp(row.args[i], name) == 0) return record.args[i];
  }
  ADD_FAILURE() << row.name << " has no argument " << name;
  return -1;
}

TEST_F(Rows, ProviderCallsAreRecordedWithArgumentsAndHandles) {
  const Log log;
  Session session(log);
  rdma_addrinfo hints = {};
  hints.ai_flags = RAI_PASSIVE;
  hints.ai_family = AF_INET;
  hints.ai_qp_type = IBV_QPT_RC;
  hints.ai_port_space = RDMA_PS_TCP;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(7471);
  rdma_cm_id* id = nullptr;
  rdma_addrinfo* info = nullptr;

  ASSERT_EQ(0, session.arm());
  rdma_event_channel* const channel = rdma_create_event_channel();
  const int created = rdma_create_id(channel, &id, nullptr, RDMA_PS_TCP);
  const int resolved = rdma_getaddrinfo(nullptr, "7471", &hints, &info);
  const int bound = rdma_bind_addr(id, reinterpret_cast<sockaddr*>(&address));
  const int listening = rdma_listen(id, 5);
  rdma_freeaddrinfo(info);
  const int destroyed = rdma_destroy_id(id);
  rdma_destroy_event_channel(channel);
  shim().disarm();

  EXPECT_EQ(0, created | resolved | bound | listening | destroyed);
  EXPECT_EQ(handle(channel), only(log, "rdma_create_event_channel").acquired);
  EXPECT_EQ(number(channel), only(log, "rdma_create_event_channel").result);
  const rdmafault_record create = only(log, "rdma_create_id");
  EXPECT_EQ(handle(id), create.acquired);
  EXPECT_EQ(number(channel), arg(create, "channel"));
  EXPECT_EQ(RDMA_PS_TCP, arg(create, "port_space"));
  const rdmafault_record resolve = only(log, "rdma_getaddrinfo");
  EXPECT_EQ(handle(info), resolve.acquired);
  EXPECT_EQ(RAI_PASSIVE, arg(resolve, "flags"));
  EXPECT_EQ(AF_INET, arg(resolve, "family"));
  EXPECT_EQ(IBV_QPT_RC, arg(resolve, "qp_type"));
  EXPECT_EQ(RDMA_PS_TCP, arg(resolve, "port_space"));
  EXPECT_EQ(0, arg(resolve, "node"));
  EXPECT_EQ(1, arg(resolve, "service"));
  const rdmafault_record bind = only(log, "rdma_bind_addr");
  EXPECT_EQ(number(id), arg(bind, "id"));
  EXPECT_EQ(AF_INET, arg(bind, "family"));
  EXPECT_EQ(7471, arg(bind, "port"));
  const rdmafault_record listen = only(log, "rdma_listen");
  EXPECT_EQ(number(id), arg(listen, "id"));
  EXPECT_EQ(5, arg(listen, "backlog"));
  EXPECT_EQ(handle(info), only(log, "rdma_freeaddrinfo").released);
  EXPECT_EQ(handle(id), only(log, "rdma_destroy_id").released);
  EXPECT_EQ(handle(channel), only(log, "rdma_destroy_event_channel").released);
}

// glibc's reallocarray jumps to realloc, which then returns into the shim; the caller is still libc.
TEST_F(Rows, ATailCallOfANextFunctionIsTheCallOfThatFunction) {
  const Log log;
  Session session(log, {"realloc:error=ENOMEM:caller=libc.so.6:when=2"});
  ASSERT_EQ(0, session.arm());
  void* const first = reallocarray(nullptr, 2, 8);
  void* const second = reallocarray(nullptr, 2, 8);
  shim().disarm();
  EXPECT_NE(nullptr, first);
  EXPECT_EQ(nullptr, second);
  const auto inner = log.records_of("realloc", "libc.so.6");
  ASSERT_EQ(2U, inner.size());
  EXPECT_EQ(1, inner[0].depth);
  EXPECT_EQ(handle(first), inner[0].acquired);
  EXPECT_EQ(RDMAFAULT_COMPLETE | RDMAFAULT_INJECTED, inner[1].flags);
  const auto outer = log.records_of("reallocarray");
  ASSERT_EQ(2U, outer.size());
  EXPECT_EQ(0, outer[1].depth);
  EXPECT_EQ(RDMAFAULT_COMPLETE, outer[1].flags);
  free(first);
}

TEST_F(Rows, AddressesOfEveryFamilyGiveTheirPort) {
  const Log log;
  Session session(log);
  sockaddr_in6 v6 = {};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(18515);
  sockaddr_ib ib = {};
  ib.sib_family = AF_IB;
  ib.sib_sid = htobe64((UINT64_C(0x0106) << 16) | 4791);
  sockaddr odd = {};
  odd.sa_family = AF_UNIX;
  ASSERT_EQ(0, session.arm());
  rdma_bind_addr(&fake_id, reinterpret_cast<sockaddr*>(&v6));
  rdma_bind_addr(&fake_id, reinterpret_cast<sockaddr*>(&ib));
  rdma_bind_addr(&fake_id, &odd);
  rdma_bind_addr(&fake_id, nullptr);
  shim().disarm();
  const auto records = log.records_of("rdma_bind_addr");
  ASSERT_EQ(4U, records.size());
  EXPECT_EQ(AF_INET6, arg(records[0], "family"));
  EXPECT_EQ(18515, arg(records[0], "port"));
  EXPECT_EQ(AF_IB, arg(records[1], "family"));
  EXPECT_EQ(4791, arg(records[1], "port"));
  EXPECT_EQ(AF_UNIX, arg(records[2], "family"));
  EXPECT_EQ(0, arg(records[2], "port"));
  EXPECT_EQ(0, arg(records[3], "family"));
}

TEST_F(Rows, AllocatorCallsAreRecordedWithArgumentsAndBlocks) {
  const Log log;
  Session session(log);
  void* positioned = nullptr;
  ASSERT_EQ(0, session.arm());
  void* const plain = malloc(11);
  const uint64_t plain_handle = handle(plain);
  void* const zeroed = calloc(2, 13);
  const uint64_t zeroed_handle = handle(zeroed);
  void* const moved = realloc(plain, 100000);
  const uint64_t moved_handle = handle(moved);
  void* const array = reallocarray(zeroed, 3, 40000);
  const int code = posix_memalign(&positioned, 128, 17);
  void* const aligned = aligned_alloc(256, 512);
  void* const older = memalign(512, 19);
  free(moved);
  shim().disarm();

  EXPECT_EQ(11, arg(only(log, "malloc"), "size"));
  EXPECT_EQ(plain_handle, only(log, "malloc").acquired);
  EXPECT_EQ(2, arg(only(log, "calloc"), "count"));
  EXPECT_EQ(13, arg(only(log, "calloc"), "size"));
  EXPECT_EQ(zeroed_handle, only(log, "calloc").acquired);
  EXPECT_EQ(100000, arg(only(log, "realloc"), "size"));
  EXPECT_EQ(plain_handle, only(log, "realloc").released);
  EXPECT_EQ(moved_handle, only(log, "realloc").acquired);
  EXPECT_EQ(3, arg(only(log, "reallocarray"), "count"));
  EXPECT_EQ(40000, arg(only(log, "reallocarray"), "size"));
  EXPECT_EQ(zeroed_handle, only(log, "reallocarray").released);
  EXPECT_EQ(handle(array), only(log, "reallocarray").acquired);
  EXPECT_EQ(0, code);
  EXPECT_EQ(128, arg(only(log, "posix_memalign"), "alignment"));
  EXPECT_EQ(17, arg(only(log, "posix_memalign"), "size"));
  EXPECT_EQ(handle(positioned), only(log, "posix_memalign").acquired);
  EXPECT_EQ(256, arg(only(log, "aligned_alloc"), "alignment"));
  EXPECT_EQ(handle(aligned), only(log, "aligned_alloc").acquired);
  EXPECT_EQ(512, arg(only(log, "memalign"), "alignment"));
  EXPECT_EQ(handle(older), only(log, "memalign").acquired);
  EXPECT_EQ(moved_handle, only(log, "free").released);
  free(array);
  free(positioned);
  free(aligned);
  free(older);
}

}  // namespace
