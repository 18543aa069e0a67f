// SPDX-License-Identifier: BSD-3-Clause
//
// The clause catalogue: each promise that the suite judges, one row each. rpma-conformance(1) prints it.
#pragma once

#include <span>
#include <string_view>

namespace conformance {

struct Clause {
  std::string_view id;
  std::string_view promise;  // in the words of this project
  std::string_view source;   // section of a man page, or a ruling
};

std::span<const Clause> clauses();

// Null if the id is unknown.
const Clause* find_clause(std::string_view id);

}  // namespace conformance
