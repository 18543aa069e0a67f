// SPDX-License-Identifier: BSD-3-Clause
//
// One experiment's process, from the fork to its end.
#pragma once

#include <memory>
#include <span>

#include "conformance/harness/experiment.h"
#include "conformance/harness/guard.h"
#include "conformance/harness/observation.h"
#include "conformance/harness/pool.h"
#include "conformance/harness/testbed.h"

namespace conformance {

// Runs the experiment in the calling process, which was forked for it, and ends that process. `memory`: all
// zero, with the layout of shared_memory.h.
[[noreturn]] void run_in_child(const Library& library, const Target& target, const Experiment& experiment,
                               std::span<std::byte> memory, Guard::Mode guard);

// Runs the experiment in the calling process, for a debugger: without the guard, without crash handlers,
// with the caller's standard streams. Its evidence cannot be judged.
std::unique_ptr<Evidence> run_in_this_process(const Library& library, const Target& target,
                                              const Experiment& experiment);

}  // namespace conformance
