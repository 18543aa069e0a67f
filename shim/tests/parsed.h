// SPDX-License-Identifier: BSD-3-Clause
//
// A rule from its text, for tests that arm rules by hand.
#ifndef SHIM_TESTS_PARSED_H
#define SHIM_TESTS_PARSED_H

#include <gtest/gtest.h>

#include "shim/rdmafault.h"

// Fails the test where `text` is no rule.
inline rdmafault_rule parsed(const char* text) {
  rdmafault_rule rule = {};
  rdmafault_error error = {};
  EXPECT_EQ(0, rdmafault_parse(text, &rule, &error)) << error.message;
  return rule;
}

#endif  // SHIM_TESTS_PARSED_H
