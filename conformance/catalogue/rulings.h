// SPDX-License-Identifier: BSD-3-Clause
//
// The rulings: what the suite holds where the man pages leave something open. A clause's source names them by
// number.
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
