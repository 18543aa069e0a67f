// SPDX-License-Identifier: BSD-3-Clause
//
// The ledger: what was acquired and released, read from the shim's records (DESIGN section 4).
#pragma once

#include <algorithm>
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

// A handle that was not released.
struct Left {
  std::string text;  // "an event channel from rdma_create_event_channel"
  std::string role;  // of the module that acquired it
};

struct Ledger {
  std::vector<Left> handles_left;        // channels, ids and addrinfos
  std::vector<std::string> blocks_left;  // heap blocks that the IUT allocated itself and nobody freed
  std::vector<std::string> illegal;      // released twice, never acquired, in the wrong order, used when gone
  int excused_channels = 0;              // that are left because a rule made their release fail (ruling 7)
  int excused_ids = 0;

  // An id that is excused goes with its channel, unless that one is excused too.
  [[nodiscard]] int excused_in_kernel() const { return std::min(excused_ids, excused_channels); }
};

// What is left, in words: "a cm id from rdma_create_id; ..."
std::string texts_of(const std::vector<Left>& left);

// Whose handles these are, of which there is one at least: the IUT's where one is, for others may hang on it.
std::string role_to_blame(const std::vector<Left>& left);

// Settles the windows' accounts, in their order. A release that a rule made fail, itself or by a call within
// it, excuses its one handle (ruling 7), and with an id the channel that rdma_create_id made for it. A handle
// that was acquired before the windows is not this call's to release. What a module does within a provider
// call, with things of its own, is nobody's misuse.
Ledger settle(const Library& library, const Evidence& evidence, const std::vector<Window>& windows);

// The row of the function that a record is about.
const rdmafault_function& function_of(const rdmafault_record& record);

// The role of the module that made a record's call.
std::string role_of(const Library& library, const Evidence& evidence, const rdmafault_record& record);

}  // namespace conformance
