// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of the preloaded shim share: the shim's functions, found as a program finds them, and a log.
#ifndef SHIM_TESTS_PRELOAD_PRELOAD_TEST_H
#define SHIM_TESTS_PRELOAD_PRELOAD_TEST_H

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "shim/rdmafault.h"

// The shim's functions, looked up in the global scope; null pointers if it is not preloaded.
struct Shim {
  decltype(&rdmafault_functions) functions;
  decltype(&rdmafault_parse) parse;
  decltype(&rdmafault_log_size) log_size;
  decltype(&rdmafault_log_init) log_init;
  decltype(&rdmafault_arm) arm;
  decltype(&rdmafault_disarm) disarm;
  decltype(&rdmafault_suspend) suspend;
  decltype(&rdmafault_resume) resume;
  decltype(&rdmafault_missing) missing;
};
const Shim& shim();

// "" if all interposed functions are librdmafault.so's, else what is wrong.
std::string why_not_live();

// A log and its memory.
class Log {
 public:
  explicit Log(uint32_t capacity = 4096);
  rdmafault_log* get() const { return log_; }
  rdmafault_log* operator->() const { return log_; }

  // The records of calls of `function`, in order, made by `module`; nullptr: by any module.
  std::vector<rdmafault_record> records_of(const char* function, const char* module = "main") const;
  // The SONAME of a record's module.
  std::string module_of(const rdmafault_record& record) const;

 private:
  std::vector<uint64_t> memory_;
  rdmafault_log* log_;
};

// The flag for sessions that see system calls.
constexpr uint32_t kSystemCalls = RDMAFAULT_SYSTEM_CALLS;

// Rules and roles, parsed before arming.
class Session {
 public:
  explicit Session(const Log& log, std::initializer_list<std::string> rules = {},
                   std::initializer_list<rdmafault_role> roles = {}, uint32_t flags = 0);

  int arm() { return shim().arm(&session_); }

 private:
  std::vector<rdmafault_rule> rules_;
  std::vector<rdmafault_role> roles_;
  rdmafault_session session_;
};

// Checks first that the shim is preloaded: without it the tests would prove nothing.
class Preloaded : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ("", why_not_live()); }
  void TearDown() override {
    if (shim().disarm != nullptr) shim().disarm();
  }
};

#endif  // SHIM_TESTS_PRELOAD_PRELOAD_TEST_H
