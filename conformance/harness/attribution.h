// SPDX-License-Identifier: BSD-3-Clause
//
// Which module is at fault: which one crashed or hangs, whether the IUT misused the provider, and whether a
// provider call failed without a rule.
#pragma once

#include <string>
#include <vector>

#include "conformance/harness/ledger.h"
#include "conformance/harness/library.h"
#include "conformance/harness/pool.h"

namespace conformance {

// Whether a module with this role can be at fault. libc cannot: it crashes because of its arguments.
bool is_suspect(const std::string& role);

// "librpma.so.0+0x5b40", or only the address if it is in no object.
std::string show(const Place& place);

// Whether a crash raises this signal; others come from outside (the out-of-memory killer, a user).
bool is_crash_signal(int signal);

// Illegal provider calls of the IUT, from the call under test to the end of the process. If the provider
// crashes on a handle that was never acquired, or already released, the IUT is at fault.
std::vector<std::string> misuse_before_the_end(const Library& library, const Evidence& evidence);

// The role of the module at fault for a child that crashed or did not return.
std::string module_that_crashed(const Library& library, const Evidence& evidence);
std::string module_that_hangs(const Library& library, const Evidence& evidence);

// Empty, or the provider call of the IUT that failed without a rule: the environment does not allow an
// undisturbed call.
std::string really_failed(const Library& library, const Evidence& evidence, Window window);

// True if the IUT made a provider call through the shim. An IUT that bypasses the shim cannot be judged.
bool iut_asks_the_provider(const Library& library, const Evidence& evidence);

}  // namespace conformance
