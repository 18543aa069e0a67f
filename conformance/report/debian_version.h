// SPDX-License-Identifier: BSD-3-Clause
//
// The order of Debian package versions, as dpkg has it (deb-version(7)).
#pragma once

#include <string>

namespace conformance {

// Whether `version` is `from`, `to`, or between them. False where one of them is not a version. Runs dpkg
// where the texts are not equal; throws SetupError (harness/library.h) where it cannot be run.
bool is_between(const std::string& from, const std::string& version, const std::string& to);

}  // namespace conformance
