// SPDX-License-Identifier: BSD-3-Clause
//
// The rule grammar: an accepted rule means what it says; a refusal gives the right position and names what to
// write instead.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <string>

#include <netdb.h>

#include "shim/rdmafault.h"

namespace {

struct Accepted {
  const char* text;
  const char* function;
  int action;
  int value;
  uint64_t first, last, step;
  uint32_t prob_ppm;
  int caller;
  const char* caller_name;
  int any_thread;
  uint64_t seed;
};

constexpr uint64_t kEnd = UINT64_MAX;
constexpr uint32_t kAll = 1000000;

const Accepted kAccepted[] = {
    {"rdma_listen:error=EADDRINUSE", "rdma_listen", RDMAFAULT_ERROR, EADDRINUSE, 1, kEnd, 1, kAll,
     RDMAFAULT_ANY_CALLER, "", 0, 0},
    {"rdma_getaddrinfo:retval=EAI_NONAME", "rdma_getaddrinfo", RDMAFAULT_RETVAL, EAI_NONAME, 1, kEnd, 1, kAll,
     RDMAFAULT_ANY_CALLER, "", 0, 0},
    {"malloc:error=ENOMEM:when=3", "malloc", RDMAFAULT_ERROR, ENOMEM, 3, 3, 1, kAll, RDMAFAULT_ANY_CALLER, "",
     0, 0},
    {"malloc:error=ENOMEM:when=2..5", "malloc", RDMAFAULT_ERROR, ENOMEM, 2, 5, 1, kAll, RDMAFAULT_ANY_CALLER,
     "", 0, 0},
    {"malloc:error=ENOMEM:when=2+", "malloc", RDMAFAULT_ERROR, ENOMEM, 2, kEnd, 1, kAll, RDMAFAULT_ANY_CALLER,
     "", 0, 0},
    {"malloc:error=ENOMEM:when=2+3", "malloc", RDMAFAULT_ERROR, ENOMEM, 2, kEnd, 3, kAll,
     RDMAFAULT_ANY_CALLER, "", 0, 0},
    {"malloc:when=18446744073709551615:error=ENOMEM", "malloc", RDMAFAULT_ERROR, ENOMEM, kEnd, kEnd, 1, kAll,
     RDMAFAULT_ANY_CALLER, "", 0, 0},
    {"malloc:caller=librpma.so.0:error=ENOMEM", "malloc", RDMAFAULT_ERROR, ENOMEM, 1, kEnd, 1, kAll,
     RDMAFAULT_CALLER_IS, "librpma.so.0", 0, 0},
    {"malloc:error=ENOMEM:caller=!main", "malloc", RDMAFAULT_ERROR, ENOMEM, 1, kEnd, 1, kAll,
     RDMAFAULT_CALLER_IS_NOT, "main", 0, 0},
    {"malloc:error=ENOMEM:caller=@iut", "malloc", RDMAFAULT_ERROR, ENOMEM, 1, kEnd, 1, kAll,
     RDMAFAULT_ROLE_IS, "iut", 0, 0},
    {"malloc:error=ENOMEM:caller=!@harness", "malloc", RDMAFAULT_ERROR, ENOMEM, 1, kEnd, 1, kAll,
     RDMAFAULT_ROLE_IS_NOT, "harness", 0, 0},
    {"malloc:error=ENOMEM:prob=12.5%", "malloc", RDMAFAULT_ERROR, ENOMEM, 1, kEnd, 1, 125000,
     RDMAFAULT_ANY_CALLER, "", 0, 0},
    {"malloc:error=ENOMEM:prob=0.0001%:seed=7", "malloc", RDMAFAULT_ERROR, ENOMEM, 1, kEnd, 1, 1,
     RDMAFAULT_ANY_CALLER, "", 0, 7},
    {"malloc:thread=any:seed=18446744073709551615:prob=100%:when=1+:caller=@x:error=ENOMEM", "malloc",
     RDMAFAULT_ERROR, ENOMEM, 1, kEnd, 1, kAll, RDMAFAULT_ROLE_IS, "x", 1, kEnd},
    {"openat:error=EMFILE:when=3:caller=@rdmacm", "openat", RDMAFAULT_ERROR, EMFILE, 3, 3, 1, kAll,
     RDMAFAULT_ROLE_IS, "rdmacm", 0, 0},
    {"write:retval=SHORT", "write", RDMAFAULT_RETVAL, RDMAFAULT_SHORT, 1, kEnd, 1, kAll, RDMAFAULT_ANY_CALLER,
     "", 0, 0},
    {"read:retval=ZERO", "read", RDMAFAULT_RETVAL, RDMAFAULT_ZERO, 1, kEnd, 1, kAll, RDMAFAULT_ANY_CALLER, "",
     0, 0},
    {"socket:error=ENOMEM:when=2+", "socket", RDMAFAULT_ERROR, ENOMEM, 2, kEnd, 1, kAll, RDMAFAULT_ANY_CALLER,
     "", 0, 0},
};

TEST(Parser, AcceptedRulesMeanWhatTheySay) {
  size_t count = 0;
  const rdmafault_function* functions = rdmafault_functions(&count);
  for (const Accepted& expected : kAccepted) {
    SCOPED_TRACE(expected.text);
    rdmafault_rule rule = {};
    rdmafault_error error = {};
    ASSERT_EQ(0, rdmafault_parse(expected.text, &rule, &error)) << error.message;
    ASSERT_LT(rule.function, count);
    EXPECT_STREQ(expected.function, functions[rule.function].name);
    EXPECT_EQ(expected.action, rule.action);
    EXPECT_EQ(expected.value, rule.value);
    EXPECT_EQ(expected.first, rule.first);
    EXPECT_EQ(expected.last, rule.last);
    EXPECT_EQ(expected.step, rule.step);
    EXPECT_EQ(expected.prob_ppm, rule.prob_ppm);
    EXPECT_EQ(expected.caller, rule.caller);
    EXPECT_STREQ(expected.caller_name, rule.caller_name);
    EXPECT_EQ(expected.any_thread, rule.any_thread);
    EXPECT_EQ(expected.seed, rule.seed);
  }
}

struct Refused {
  const char* text;
  size_t position;
  const char* names;  // what the message must name
};

const Refused kRefused[] = {
    // functions
    {"", 0, "rdma_create_event_channel"},
    {":error=ENOMEM", 0, ""},
    {"rdma_lisen:error=EIO", 0, "rdma_listen"},
    {"no_such:error=EIO", 0, "rdma_listen, rdma_destroy_id, malloc, calloc, realloc"},
    {"no_such:error=EIO", 0, "memalign, allocation"},
    {"alocation:error=ENOMEM", 0, "allocation"},
    {"opennat:error=EIO", 0, "openat"},
    {"futex:error=EINTR", 0, ""},
    {"other_system_call:error=EIO", 0, ""},
    {"rdma_freeaddrinfo:error=ENOMEM", 0, ""},
    {"rdma_destroy_event_channel:error=EIO", 0, ""},
    {"free:error=ENOMEM", 0, ""},
    // fields
    {"rdma_listen", 11, ":error=EACCES"},
    {"rdma_getaddrinfo", 16, ":retval=EAI_ADDRFAMILY"},
    {"rdma_listen:when=1", 18, ":error=EACCES"},
    {"rdma_listen:", 11, "error, retval, when, caller, prob, seed, thread"},
    {"rdma_listen:error=EIO:", 21, "error, retval, when, caller, prob, seed, thread"},
    {"rdma_listen::error=EIO", 12, "error, retval, when, caller, prob, seed, thread"},
    {"rdma_listen:errno=EIO", 12, "error, retval, when, caller, prob, seed, thread"},
    {"rdma_listen:error", 17, "error"},
    {"rdma_listen:error=", 18, "error"},
    {"rdma_listen:error=EIO:when=", 27, "when"},
    {"rdma_listen:error=EIO:error=EIO", 22, ""},
    {"malloc:error=ENOMEM:when=1:when=1", 27, ""},
    {"rdma_getaddrinfo:error=ENOMEM:retval=EAI_FAIL", 37, ""},
    // errors and values
    {"rdma_listen:error=EBADF", 18, "EACCES, EADDRINUSE"},
    {"rdma_listen:error=eio", 18, "EACCES"},
    {"malloc:error=EAGAIN", 13, "ENOMEM"},
    {"rdma_listen:error=98", 18, "EADDRINUSE"},
    {"malloc:error=11", 13, "EAGAIN"},
    {"malloc:error=99999999999999999999", 13, "ENOMEM"},
    {"malloc:error=-12", 13, "ENOMEM"},
    {"rdma_getaddrinfo:retval=-2", 24, "EAI_NONAME"},
    {"rdma_getaddrinfo:retval=ENOMEM", 24, "error=ENOMEM"},
    {"rdma_getaddrinfo:error=EAI_NONAME", 23, "retval=EAI_NONAME"},
    {"rdma_getaddrinfo:retval=EAI_QPTYPE", 24, "EAI_ADDRFAMILY"},
    {"rdma_listen:retval=EIO", 19, "error=EACCES"},
    {"allocation", 10, ":error=ENOMEM"},
    {"allocation:error=EAGAIN", 17, "ENOMEM"},
    {"allocation:retval=0", 18, "error=ENOMEM"},
    {"openat:error=EBADF", 13, "EACCES, EBUSY"},
    {"openat:retval=ZERO", 14, "error=EACCES"},
    {"read:retval=HALF", 12, "ZERO, SHORT"},
    {"read:error=SHORT", 11, "retval=SHORT"},
    // when
    {"malloc:error=ENOMEM:when=0", 25, ""},
    {"malloc:error=ENOMEM:when=1..0", 28, ""},
    {"malloc:error=ENOMEM:when=5..3", 28, "N..M"},
    {"malloc:error=ENOMEM:when=1+0", 27, ""},
    {"malloc:error=ENOMEM:when=x", 25, "N, N..M, N+ or N+STEP"},
    {"malloc:error=ENOMEM:when=-1", 25, "N, N..M, N+ or N+STEP"},
    {"malloc:error=ENOMEM:when=1..", 28, "N, N..M, N+ or N+STEP"},
    {"malloc:error=ENOMEM:when=1.2", 26, "N, N..M, N+ or N+STEP"},
    {"malloc:error=ENOMEM:when=1+2+", 28, "N, N..M, N+ or N+STEP"},
    {"malloc:error=ENOMEM:when=18446744073709551616", 25, "18446744073709551615"},
    {"malloc:error=ENOMEM:when=1+18446744073709551616", 27, "18446744073709551615"},
    // caller
    {"malloc:error=ENOMEM:caller=!", 28, "SONAME, !SONAME, @ROLE or !@ROLE"},
    {"malloc:error=ENOMEM:caller=@", 28, "SONAME, !SONAME, @ROLE or !@ROLE"},
    {"malloc:error=ENOMEM:caller=!@", 29, "SONAME, !SONAME, @ROLE or !@ROLE"},
    {"malloc:error=ENOMEM:caller=@!iut", 28, "SONAME, !SONAME, @ROLE or !@ROLE"},
    // prob, seed, thread
    {"malloc:error=ENOMEM:prob=50", 27, "12.5%"},
    {"malloc:error=ENOMEM:prob=%", 25, "12.5%"},
    {"malloc:error=ENOMEM:prob=1.%", 27, "12.5%"},
    {"malloc:error=ENOMEM:prob=0%", 25, "0%"},
    {"malloc:error=ENOMEM:prob=0.00001%", 31, "four"},
    {"malloc:error=ENOMEM:prob=100.1%", 25, "100%"},
    {"malloc:error=ENOMEM:prob=99999999999999999999%", 25, "100%"},
    {"malloc:error=ENOMEM:prob=1%%", 26, "12.5%"},
    {"malloc:error=ENOMEM:seed=-1", 25, "18446744073709551615"},
    {"malloc:error=ENOMEM:seed=1x", 26, "18446744073709551615"},
    {"malloc:error=ENOMEM:seed=18446744073709551616", 25, "18446744073709551615"},
    {"malloc:error=ENOMEM:thread=all", 27, "any"},
};

TEST(Parser, ARefusalGivesThePositionAndAHint) {
  for (const Refused& expected : kRefused) {
    SCOPED_TRACE(expected.text);
    rdmafault_rule rule;
    std::memset(&rule, 0x5a, sizeof(rule));
    const rdmafault_rule before = rule;
    rdmafault_error error = {};
    ASSERT_EQ(-1, rdmafault_parse(expected.text, &rule, &error));
    EXPECT_EQ(expected.position, error.position) << error.message;
    EXPECT_NE(nullptr, std::strstr(error.message, expected.names)) << error.message;
    EXPECT_EQ(nullptr, std::strchr(error.message, '\n'));
    EXPECT_EQ(0, std::memcmp(&before, &rule, sizeof(rule))) << "a refused rule must not change";
  }
}

TEST(Parser, ACallerNameHasRoomForSixtyThreeCharacters) {
  rdmafault_rule rule = {};
  rdmafault_error error = {};
  const std::string start = "malloc:error=ENOMEM:caller=!@";
  EXPECT_EQ(0, rdmafault_parse((start + std::string(63, 'n')).c_str(), &rule, &error));
  EXPECT_EQ(std::string(63, 'n'), rule.caller_name);
  EXPECT_EQ(-1, rdmafault_parse((start + std::string(64, 'n')).c_str(), &rule, &error));
  EXPECT_EQ(start.size() + 63, error.position);
}

TEST(Parser, EveryLegalErrorAndValueOfEveryRowIsAccepted) {
  size_t count = 0;
  const rdmafault_function* functions = rdmafault_functions(&count);
  for (size_t i = 0; i < count; ++i) {
    for (const char* field : {"error", "retval"}) {
      const bool is_error = field[0] == 'e';
      const rdmafault_name* name = is_error ? functions[i].errors : functions[i].values;
      for (; name != nullptr && name->name != nullptr; ++name) {
        const std::string text = std::string(functions[i].name) + ":" + field + "=" + name->name;
        rdmafault_rule rule = {};
        rdmafault_error error = {};
        ASSERT_EQ(0, rdmafault_parse(text.c_str(), &rule, &error)) << text << ": " << error.message;
        EXPECT_EQ(i, rule.function);
        EXPECT_EQ(name->value, rule.value);
        EXPECT_EQ(is_error ? RDMAFAULT_ERROR : RDMAFAULT_RETVAL, rule.action);
      }
    }
  }
}

TEST(Parser, AllocationStandsForEveryAllocator) {
  rdmafault_rule rule = {};
  rdmafault_error error = {};
  ASSERT_EQ(0, rdmafault_parse("allocation:error=ENOMEM:when=7+", &rule, &error)) << error.message;
  EXPECT_EQ(RDMAFAULT_ANY_ALLOCATOR, rule.function);
  EXPECT_EQ(ENOMEM, rule.value);
  EXPECT_EQ(7U, rule.first);
}

TEST(Parser, ALongInvalidRuleFitsIntoTheMessage) {
  const std::string junk(100000, 'x');
  for (const std::string& text :
       {junk, "malloc:" + junk, "malloc:error=" + junk, "malloc:error=ENOMEM:when=" + junk,
        "malloc:error=ENOMEM:caller=" + junk, "malloc:error=1" + std::string(9999, '1')}) {
    rdmafault_rule rule = {};
    rdmafault_error error = {};
    EXPECT_EQ(-1, rdmafault_parse(text.c_str(), &rule, &error));
    EXPECT_LT(std::strlen(error.message), sizeof(error.message));
    EXPECT_LE(error.position, text.size());
  }
}

TEST(Parser, NullTextAndNullErrorAreAllowed) {
  rdmafault_rule rule = {};
  EXPECT_EQ(-1, rdmafault_parse(nullptr, &rule, nullptr));
}

}  // namespace
