// SPDX-License-Identifier: BSD-3-Clause
//
// Mutants that no test need notice, as data (survivors.cpp): each with the reason. Whoever adds a row has
// looked for a test that would notice first.
#pragma once

#include <span>
#include <string_view>

namespace conformance {

struct Survivor {
  std::string_view file;    // of fixtures/listeners
  std::string_view mutant;  // its id (mutator.h); at the end * stands for anything
  std::string_view reason;
};

std::span<const Survivor> known_survivors();

}  // namespace conformance
