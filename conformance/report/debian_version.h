// SPDX-License-Identifier: BSD-3-Clause
//
// The order of Debian package versions (deb-version(7)).
#pragma once

#include <compare>
#include <string_view>

namespace conformance {

// Which of two versions is the later one.
std::strong_ordering compare_versions(std::string_view a, std::string_view b);

}  // namespace conformance
