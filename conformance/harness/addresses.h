// SPDX-License-Identifier: BSD-3-Clause
//
// Addresses that a listen is asked for and that differ from host to host, by name.
#pragma once

#include <string>
#include <string_view>

namespace conformance {

struct Target;

// `text` itself, or for one of the names in listen_operation.h the address that it stands for on this target.
// Throws std::runtime_error where the target has none. Allocates: not for use while armed.
std::string address_named(std::string_view text, const Target& target);

}  // namespace conformance
