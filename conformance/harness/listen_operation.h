// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) as a function under test: which arguments it gets, how its endpoint is put to use and
// given back.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "conformance/harness/operation.h"

namespace conformance {

// Which arguments are NULL; may be combined.
enum ListenNull : unsigned { kPeerNull = 1, kAddrNull = 2, kPortNull = 4, kEpPtrNull = 8 };

struct ListenArguments {
  unsigned nulls = 0;
  // Empty: the target's. A text, or one of kAddressNames, which the target's own address decides.
  std::optional<std::string> address = {};
  std::optional<std::string> port = {};  // empty: one of the experiment's own
};

// Addresses that differ from host to host.
inline constexpr std::string_view kWildcard = "@wildcard";     // of the target's address family
inline constexpr std::string_view kTarget = "@target";         // the target's own
inline constexpr std::string_view kIpv6 = "@ipv6";             // a global one of the device's interface
inline constexpr std::string_view kLinkLocal = "@link-local";  // of the device's interface, with its scope
inline constexpr std::string_view kNoScope = "@link-local-no-scope";
inline constexpr std::string_view kUnknownScope = "@link-local-unknown-scope";

std::shared_ptr<const Operation> listen_operation(const ListenArguments& arguments = {});

// Reads back what variant() wrote; throws std::invalid_argument with one clear line.
std::shared_ptr<const Operation> listen_operation_named(std::string_view variant);

}  // namespace conformance
