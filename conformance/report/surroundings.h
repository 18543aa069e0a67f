// SPDX-License-Identifier: BSD-3-Clause
//
// What else a verdict was obtained on: the device's table of GIDs, its link, the kernel's modules, the
// limits.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace conformance {

// As sysfs and proc tell it. `device`: empty where there is none, as on the mock.
nlohmann::ordered_json describe_surroundings(const std::string& device);

}  // namespace conformance
