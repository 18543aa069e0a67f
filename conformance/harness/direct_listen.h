// SPDX-License-Identifier: BSD-3-Clause
//
// A listen as in rpma_ep_listen(3), with librdmacm's functions and without the IUT. It shows whether a
// refusal comes from the IUT or from the environment.
#pragma once

#include <string>

#include "conformance/harness/library.h"

namespace conformance {

// Listens and releases everything. Returns empty, or which call failed and with which error.
// Runs in a child, not armed.
std::string listen_directly(const Provider& provider, const char* address, const char* port);

}  // namespace conformance
