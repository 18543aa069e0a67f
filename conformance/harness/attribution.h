// SPDX-License-Identifier: BSD-3-Clause
//
// Whom evidence accuses: which module crashed or hangs, whether the IUT misused the provider, and whether
// anything underneath failed of itself.
#pragma once

#include <string>
#include <vector>

#include "conformance/harness/ledger.h"
#include "conformance/harness/library.h"
#include "conformance/harness/pool.h"

namespace conformance {

// Roles of modules that can be at fault; libc crashing on what it was given is not libc's.
bool is_suspect(const std::string& role);

// "librpma.so.0+0x5b40", or the bare address where it lies in no object.
std::string show(const Place& place);

// Signals by which a process crashes; others come from outside (the out-of-memory killer, a user).
bool is_crash_signal(int signal);

// Illegal use of the provider from the call under test to the end, however the process ended. A provider that
// dies of a handle that nobody had acquired, or that was released, is not the one at fault.
std::vector<std::string> misuse_before_the_end(const Library& library, const Evidence& evidence);

// The role of the module to blame for a child that died, or that did not return.
std::string module_that_crashed(const Library& library, const Evidence& evidence);
std::string module_that_hangs(const Library& library, const Evidence& evidence);

// Empty, or the provider call of the IUT that failed without a rule: the surroundings are not what an
// undisturbed call needs.
std::string really_failed(const Library& library, const Evidence& evidence, Window window);

// True where the IUT made a provider call through the shim. One that reaches the provider otherwise cannot be
// judged.
bool iut_asks_the_provider(const Library& library, const Evidence& evidence);

}  // namespace conformance
