// SPDX-License-Identifier: BSD-3-Clause
//
// The ledger: what was acquired and released, read from the shim's records (DESIGN section 4).
#pragma once

#include <string>
#include <vector>

#include "conformance/harness/library.h"
#include "conformance/harness/pool.h"

namespace conformance {

// Records [first, last).
struct Window {
  uint32_t first;
  uint32_t last;
};

struct Ledger {
  std::vector<std::string> handles_left;  // channels, ids and addrinfos that were not released
  std::vector<std::string> blocks_left;   // heap blocks that the IUT allocated itself and nobody freed
  std::vector<std::string> illegal;  // released twice, never acquired, in the wrong order, used when gone
};

// Settles the windows' accounts, in their order. A release that a rule made fail excuses its one handle
// (ruling 7). A handle that was acquired before the windows is not this call's to release.
Ledger settle(const Library& library, const Evidence& evidence, const std::vector<Window>& windows);

// The role of the module that made a record's call.
std::string role_of(const Library& library, const Evidence& evidence, const rdmafault_record& record);

}  // namespace conformance
