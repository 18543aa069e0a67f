// SPDX-License-Identifier: BSD-3-Clause
//
// "Did you mean": the known name that is closest to a mistyped one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace conformance {

// "; did you mean NAME?", or nothing where no name is close enough.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace conformance
