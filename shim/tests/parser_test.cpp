// SPDX-License-Identifier: BSD-3-Clause
//
// The rule grammar: what is accepted means what it says; what is refused is refused at the right place with
// the remedy.
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
  const char* says;  // part of the message
};

const Refused kRefused[] = {
    // functions
    {"", 0, "no function name; one of rdma_create_event_channel"},
    {":error=ENOMEM", 0, "no function name"},
    {"rdma_lisen:error=EIO", 0, "unknown function \"rdma_lisen\"; did you mean rdma_listen?"},
    {"no_such:error=EIO", 0, "rdma_listen, rdma_destroy_id, malloc, calloc, realloc"},
    {"no_such:error=EIO", 0, "memalign, allocation, or a system call"},
    {"alocation:error=ENOMEM", 0, "unknown function \"alocation\"; did you mean allocation?"},
    {"opennat:error=EIO", 0, "did you mean openat?"},
    {"futex:error=EINTR", 0, "futex never fails, so it cannot be made to fail"},
    {"other_system_call:error=EIO", 0, "never fails"},
    {"rdma_freeaddrinfo:error=ENOMEM", 0, "rdma_freeaddrinfo returns nothing, so it cannot be made to fail"},
    {"rdma_destroy_event_channel:error=EIO", 0, "returns nothing"},
    {"free:error=ENOMEM", 0, "returns nothing"},
    // fields
    {"rdma_listen", 11, "add :error=EACCES"},
    {"rdma_getaddrinfo", 16, "or :retval=EAI_ADDRFAMILY"},
    {"rdma_listen:when=1", 18, "how does it fail?"},
    {"rdma_listen:", 11, "a colon with nothing after it"},
    {"rdma_listen:error=EIO:", 21, "a colon with nothing after it"},
    {"rdma_listen::error=EIO", 12, "an empty field"},
    {"rdma_listen:errno=EIO", 12,
     "unknown field \"errno\"; one of error, retval, when, caller, prob, seed, thread"},
    {"rdma_listen:error", 17, "error needs a value"},
    {"rdma_listen:error=", 18, "error= needs a value"},
    {"rdma_listen:error=EIO:when=", 27, "when= needs a value"},
    {"rdma_listen:error=EIO:error=EIO", 22, "given twice"},
    {"malloc:error=ENOMEM:when=1:when=1", 27, "given twice"},
    {"rdma_getaddrinfo:error=ENOMEM:retval=EAI_FAIL", 37, "exclude each other"},
    // errors and values
    {"rdma_listen:error=EBADF", 18, "\"EBADF\" is not an error of rdma_listen; one of EACCES, EADDRINUSE"},
    {"rdma_listen:error=eio", 18, "one of EACCES"},
    {"malloc:error=EAGAIN", 13, "\"EAGAIN\" is not an error of malloc; one of ENOMEM"},
    {"rdma_listen:error=98", 18, "names, not numbers; 98 is EADDRINUSE"},
    {"malloc:error=11", 13, "11 would be EAGAIN; malloc takes one of ENOMEM"},
    {"malloc:error=99999999999999999999", 13, "names, not numbers; malloc takes one of ENOMEM"},
    {"malloc:error=-12", 13, "names, not numbers; malloc takes one of ENOMEM"},
    {"rdma_getaddrinfo:retval=-2", 24, "names, not numbers; -2 is EAI_NONAME"},
    {"rdma_getaddrinfo:retval=ENOMEM", 24, "error=ENOMEM"},
    {"rdma_getaddrinfo:error=EAI_NONAME", 23, "retval=EAI_NONAME"},
    {"rdma_getaddrinfo:retval=EAI_QPTYPE", 24, "one of EAI_ADDRFAMILY"},
    {"rdma_listen:retval=EIO", 19, "use error=EACCES"},
    {"allocation", 10, "how does it fail? add :error=ENOMEM"},
    {"allocation:error=EAGAIN", 17, "\"EAGAIN\" is not an error of allocation; one of ENOMEM"},
    {"allocation:retval=0", 18, "allocation reports failure in one way only; use error=ENOMEM"},
    {"openat:error=EBADF", 13, "\"EBADF\" is not an error of openat; one of EACCES, EBUSY"},
    {"openat:retval=ZERO", 14, "openat reports failure in one way only"},
    {"read:retval=HALF", 12, "\"HALF\" is not a value that read returns; one of ZERO, SHORT"},
    {"read:error=SHORT", 11, "retval=SHORT"},
    // when
    {"malloc:error=ENOMEM:when=0", 25, "counted from 1"},
    {"malloc:error=ENOMEM:when=1..0", 28, "counted from 1"},
    {"malloc:error=ENOMEM:when=5..3", 28, "the range ends before it begins"},
    {"malloc:error=ENOMEM:when=1+0", 27, "counted from 1"},
    {"malloc:error=ENOMEM:when=x", 25, "when= takes N, N..M, N+ or N+STEP"},
    {"malloc:error=ENOMEM:when=-1", 25, "when= takes N, N..M, N+ or N+STEP"},
    {"malloc:error=ENOMEM:when=1..", 28, "a number is missing"},
    {"malloc:error=ENOMEM:when=1.2", 26, "when= takes N, N..M, N+ or N+STEP"},
    {"malloc:error=ENOMEM:when=1+2+", 28, "when= takes N, N..M, N+ or N+STEP"},
    {"malloc:error=ENOMEM:when=18446744073709551616", 25, "too large"},
    {"malloc:error=ENOMEM:when=1+18446744073709551616", 27, "too large"},
    // caller
    {"malloc:error=ENOMEM:caller=!", 28, "caller= takes SONAME, !SONAME, @ROLE or !@ROLE"},
    {"malloc:error=ENOMEM:caller=@", 28, "a name is missing"},
    {"malloc:error=ENOMEM:caller=!@", 29, "a name is missing"},
    {"malloc:error=ENOMEM:caller=@!iut", 28, "a name is missing"},
    // prob, seed, thread
    {"malloc:error=ENOMEM:prob=50", 27, "with % at its end"},
    {"malloc:error=ENOMEM:prob=%", 25, "such as 12.5%"},
    {"malloc:error=ENOMEM:prob=1.%", 27, "digits are missing"},
    {"malloc:error=ENOMEM:prob=0%", 25, "never fail"},
    {"malloc:error=ENOMEM:prob=0.00001%", 31, "four decimals"},
    {"malloc:error=ENOMEM:prob=100.1%", 25, "at most 100%"},
    {"malloc:error=ENOMEM:prob=99999999999999999999%", 25, "at most 100%"},
    {"malloc:error=ENOMEM:prob=1%%", 26, "with % at its end"},
    {"malloc:error=ENOMEM:seed=-1", 25, "whole number"},
    {"malloc:error=ENOMEM:seed=1x", 26, "whole number"},
    {"malloc:error=ENOMEM:seed=18446744073709551616", 25, "too large"},
    {"malloc:error=ENOMEM:thread=all", 27, "thread= takes any"},
};

TEST(Parser, RefusedRulesAreRefusedAtTheRightPlaceWithARemedy) {
  for (const Refused& expected : kRefused) {
    SCOPED_TRACE(expected.text);
    rdmafault_rule rule;
    std::memset(&rule, 0x5a, sizeof(rule));
    const rdmafault_rule before = rule;
    rdmafault_error error = {};
    ASSERT_EQ(-1, rdmafault_parse(expected.text, &rule, &error));
    EXPECT_EQ(expected.position, error.position) << error.message;
    EXPECT_NE(nullptr, std::strstr(error.message, expected.says)) << error.message;
    EXPECT_EQ(nullptr, std::strchr(error.message, '\n'));
    EXPECT_EQ(0, std::memcmp(&before, &rule, sizeof(rule))) << "a refused rule must be left alone";
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
  EXPECT_STREQ("the name is too long; at most 63 characters", error.message);
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

TEST(Parser, HugeGarbageIsRefusedWithinTheMessage) {
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

TEST(Parser, NoRuleAndNoPlaceForTheErrorAreSurvived) {
  rdmafault_rule rule = {};
  EXPECT_EQ(-1, rdmafault_parse(nullptr, &rule, nullptr));
}

}  // namespace
