// SPDX-License-Identifier: BSD-3-Clause
//
// What a process holds: its descriptors and what they point to, its cm_ids as the kernel lists them, and the
// objects that are loaded. Allocates: not for use while armed.
#pragma once

#include <map>
#include <string>

#include "conformance/harness/observation.h"

namespace conformance {

// With `ask_kernel` the kernel's list of cm_ids is read too (RDMA netlink); it shows only those bound to a
// device.
void take_holdings(Holdings& holdings, bool ask_kernel);

void list_modules(Observation& observation);

// What a descriptor points to, without the numbers that differ from one to the next.
std::string kind_of(const Descriptor& descriptor);

// Of which kinds of descriptors `after` has more than `before`, and how many more.
std::map<std::string, int> gained_descriptors(const Holdings& before, const Holdings& after);

}  // namespace conformance
