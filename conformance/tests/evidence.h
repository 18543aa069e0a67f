// SPDX-License-Identifier: BSD-3-Clause
//
// For tests of what reads evidence: a library that knows some modules, and evidence made by hand.
#pragma once

#include <gtest/gtest.h>

#include <string_view>

#include "conformance/harness/library.h"
#include "conformance/harness/pool.h"

namespace conformance {

class EvidenceTest : public testing::Test {
 protected:
  void add_role(std::string_view role, std::string_view module) {
    rdmafault_role row{};
    role.copy(row.role, sizeof(row.role) - 1);
    module.copy(row.module, sizeof(row.module) - 1);
    library_.roles.push_back(row);
  }

  // A module that calls: the n-th is number n - 1 in records.
  void add_caller(std::string_view soname) {
    rdmafault_module module{};
    soname.copy(module.soname, sizeof(module.soname) - 1);
    evidence_.modules.push_back(module);
  }

  // One more call, by the first module, that has returned. The reference holds until the next one.
  rdmafault_record& call(std::string_view name) {
    size_t count = 0;
    const rdmafault_function* functions = rdmafault_functions(&count);
    rdmafault_record record{};
    while (record.function < count && name != functions[record.function].name) ++record.function;
    EXPECT_LT(record.function, count) << name;
    record.flags = RDMAFAULT_COMPLETE;
    record.rule = RDMAFAULT_NONE;
    evidence_.records.push_back(record);
    return evidence_.records.back();
  }

  Library library_{};
  Evidence evidence_;
};

}  // namespace conformance
