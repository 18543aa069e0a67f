// SPDX-License-Identifier: BSD-3-Clause
//
// The clause catalogue: every promise that the suite judges, one row each.
#pragma once

#include <span>
#include <string_view>

namespace conformance {

struct Clause {
  std::string_view id;
  std::string_view promise;  // in our own words
  std::string_view source;   // the page's section, or the ruling that it rests on
};

std::span<const Clause> clauses();

// Null where there is no such clause.
const Clause* find_clause(std::string_view id);

}  // namespace conformance
