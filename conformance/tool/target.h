// SPDX-License-Identifier: BSD-3-Clause
//
// The device and the address that a run uses: found, or found wanting, before anything is tested on them.
#pragma once

#include <string>
#include <vector>

#include "conformance/harness/testbed.h"
#include "conformance/tool/options.h"

namespace conformance {

// RDMA devices of this host, by name; none where the kernel knows no RDMA.
std::vector<std::string> rdma_devices();

// Addresses of a device's network interfaces, numeric, IPv4 first.
std::vector<std::string> addresses_of(const std::string& device);

// Throws SetupError: no such device, or an address that this device does not have.
Target choose_target(const RunOptions& options);

}  // namespace conformance
