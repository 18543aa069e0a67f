// SPDX-License-Identifier: BSD-3-Clause
//
// Shards of one run, put together again.
#pragma once

#include <vector>

#include "conformance/report/recorded.h"

namespace conformance {

// The run that the shards are parts of, before waivers. Throws std::runtime_error with one clear line where
// they are not of one suite, one stack and one profile, or not complete and disjoint.
RunResult merge(const std::vector<Recorded>& shards);

}  // namespace conformance
