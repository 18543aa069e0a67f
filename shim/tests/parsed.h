// SPDX-License-Identifier: BSD-3-Clause
//
// Parses a rule, for tests that fill sessions themselves.
#ifndef SHIM_TESTS_PARSED_H
#define SHIM_TESTS_PARSED_H

#include <gtest/gtest.h>

#include "shim/rdmafault.h"

// Fails the test if `text` is not a rule.
inline rdmafault_rule parsed(const char* text) {
  rdmafault_rule rule = {};
  rdmafault_error error = {};
  EXPECT_EQ(0, rdmafault_parse(text, &rule, &error)) << error.message;
  return rule;
}

#endif  // SHIM_TESTS_PARSED_H
