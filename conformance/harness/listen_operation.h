// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) as a function under test: its arguments, and how its endpoint is used and released.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "conformance/harness/operation.h"

namespace conformance {

// The arguments that are NULL, or-ed.
enum ListenNull : unsigned { kPeerNull = 1, kAddrNull = 2, kPortNull = 4, kEpPtrNull = 8 };

struct ListenArguments {
  unsigned nulls = 0;
  // Empty: the target's address. Otherwise a text, or one of the names below (address_named()).
  std::optional<std::string> address = {};
  std::optional<std::string> port = {};  // empty: the experiment's own port
};

// Names of addresses that differ from host to host.
inline constexpr std::string_view kWildcard = "@wildcard";     // of the target's address family
inline constexpr std::string_view kTarget = "@target";         // the target's own
inline constexpr std::string_view kIpv6 = "@ipv6";             // a global one of the device's interface
inline constexpr std::string_view kLinkLocal = "@link-local";  // of the device's interface, with its scope
inline constexpr std::string_view kNoScope = "@link-local-no-scope";
inline constexpr std::string_view kUnknownScope = "@link-local-unknown-scope";

std::shared_ptr<const Operation> listen_operation(const ListenArguments& arguments = {});

// Parses the text of variant(); throws std::invalid_argument with one line.
std::shared_ptr<const Operation> listen_operation_named(std::string_view variant);

}  // namespace conformance
