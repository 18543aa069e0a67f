// SPDX-License-Identifier: BSD-3-Clause
//
// What a process holds: its descriptors and their targets, its cm_ids in the kernel's list, and its loaded
// objects. Allocates: not for use while armed.
#pragma once

#include <map>
#include <string>

#include "conformance/harness/observation.h"

namespace conformance {

// With `ask_kernel` also reads the kernel's list of cm_ids (RDMA netlink), which has only those bound to a
// device.
void take_holdings(Holdings& holdings, bool ask_kernel);

void list_modules(Observation& observation);

// A descriptor's target without numbers: "socket", not "socket:[4711]".
std::string kind_of(const Descriptor& descriptor);

// The kinds of descriptors of which `after` has more than `before`, and how many more.
std::map<std::string, int> gained_descriptors(const Holdings& before, const Holdings& after);

}  // namespace conformance
