// SPDX-License-Identifier: BSD-3-Clause
//
// The surroundings of a run: the device's GIDs and link, the kernel's modules, the limits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace conformance {

// From sysfs and proc. `device`: empty on the mock.
nlohmann::ordered_json describe_surroundings(const std::string& device);

}  // namespace conformance
