// SPDX-License-Identifier: BSD-3-Clause
//
// Names for listen addresses that differ from host to host.
#pragma once

#include <string>
#include <string_view>

namespace conformance {

struct Target;

// Returns `text`, or for one of the names in listen_operation.h the target's address of that name. Throws
// std::runtime_error if the target has none. Allocates: not for use while armed.
std::string address_named(std::string_view text, const Target& target);

}  // namespace conformance
