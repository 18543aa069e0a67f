// SPDX-License-Identifier: BSD-3-Clause
//
// The rulings: how the suite decides where the man pages leave something open. The source of a clause names
// them by number; rpma-conformance(1) prints them.
#pragma once

#include <span>
#include <string_view>

namespace conformance {

struct Ruling {
  int number;
  std::string_view text;
};

std::span<const Ruling> rulings();

}  // namespace conformance
