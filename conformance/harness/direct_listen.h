// SPDX-License-Identifier: BSD-3-Clause
//
// The listen that rpma_ep_listen(3) describes, made with librdmacm's calls alone: whether an address and port
// can be listened on here tells whom to blame for a refusal.
#pragma once

#include <string>

#include "conformance/harness/library.h"

namespace conformance {

// Listens, and gives everything back. Returns empty where it listened, or which call failed, and with what.
// Runs in a child, not armed.
std::string listen_directly(const Provider& provider, const char* address, const char* port);

}  // namespace conformance
