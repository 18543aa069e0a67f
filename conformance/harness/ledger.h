// SPDX-License-Identifier: BSD-3-Clause
//
// The ledger: what was acquired and released, from the shim's records (DESIGN section 4).
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
  std::vector<std::string> blocks_left;  // heap blocks that the IUT allocated and that were not freed
  std::vector<std::string> illegal;      // double release, unknown handle, wrong order, use after release
  int excused_channels = 0;              // left because a rule made their release fail (ruling 7)
  int excused_ids = 0;

  // The kernel drops an excused id with its channel, unless the channel is excused too.
  [[nodiscard]] int excused_in_kernel() const { return std::min(excused_ids, excused_channels); }
};

// What is left, as text: "a cm id from rdma_create_id; ..."
std::string texts_of(const std::vector<Left>& left);

// The role at fault for these handles (at least one): "iut" if one is the IUT's, since others may depend on
// it.
std::string role_to_blame(const std::vector<Left>& left);

// Settles the windows in their order. If a rule made a release fail, itself or by an inner call, its handle
// is excused (ruling 7), and with an id the channel that rdma_create_id created for it. The call under test
// must not release a handle that was acquired before the windows. A module's internal calls within a provider
// call are not a misuse.
Ledger settle(const Library& library, const Evidence& evidence, const std::vector<Window>& windows);

// The row of a record's function.
const rdmafault_function& function_of(const rdmafault_record& record);

// The role of the module that made a record's call.
std::string role_of(const Library& library, const Evidence& evidence, const rdmafault_record& record);

}  // namespace conformance
