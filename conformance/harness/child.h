// SPDX-License-Identifier: BSD-3-Clause
//
// What happens in the process of one experiment, from the fork to its end.
#pragma once

#include <memory>
#include <span>

#include "conformance/harness/experiment.h"
#include "conformance/harness/observation.h"
#include "conformance/harness/pool.h"
#include "conformance/harness/testbed.h"

namespace conformance {

// Runs the experiment in the calling process, which was forked for it, and ends that process. `memory`: as
// shared_memory.h divides it, all zero at this point.
[[noreturn]] void run_in_child(const Library& library, const Target& target, const Experiment& experiment,
                               std::span<std::byte> memory);

// Runs it in the calling process, for a debugger: without the guard, without handlers for crashes, with the
// standard streams as they are. Of what it leaves no verdict can be made.
std::unique_ptr<Evidence> run_in_this_process(const Library& library, const Target& target,
                                              const Experiment& experiment);

}  // namespace conformance
