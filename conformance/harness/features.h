// SPDX-License-Identifier: BSD-3-Clause
//
// What a host or a container may lack, and what cannot be tested there then.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "conformance/harness/experiment.h"
#include "conformance/harness/testbed.h"

namespace conformance {

struct Feature {
  std::string_view name;
  std::string_view what;
  std::string_view hint;  // how the host can get it
  bool needed;            // without it there is no run at all; otherwise some tests are unsupported
  bool (*is_there)();
};
std::span<const Feature> features();

// What this host lacks and how it can get it; empty where it has the feature. Each is tried once.
std::string missing_feature(std::string_view name);

// Throws SetupError where a feature is missing that every run needs.
void need_features();

// Why an address cannot be used on this target, such as an IPv6 address on a kernel without IPv6; empty: it
// can.
std::string unsupported_address(std::string_view address, const Target& target);

// Why an experiment cannot be made on this target; empty: it can.
std::string unsupported(const Experiment& experiment, const Target& target);

}  // namespace conformance
