// SPDX-License-Identifier: BSD-3-Clause
//
// The layout of the memory that an experiment writes and the runner reads: the observation, then the shim's
// log. With several threads, the log memory has one share for the main thread and one for each thread.
#pragma once

#include <cstddef>
#include <span>

#include "conformance/harness/experiment.h"
#include "conformance/harness/observation.h"
#include "conformance/harness/pool.h"

namespace conformance {

// In bytes. All must be zero at the start.
size_t experiment_memory_size(const Library& library);

Observation& observation_in(std::span<std::byte> memory);
std::span<std::byte> log_memory_in(std::span<std::byte> memory);

// The log memory is divided evenly: share 0 is the main thread's log (all of it without other threads), and
// each thread has one of the shares from 1 on.
std::span<std::byte> share_of(std::span<std::byte> log_memory, unsigned threads, unsigned index);
// The two parts of a thread's share.
ThreadSeen& thread_seen_in(std::span<std::byte> share);
std::span<std::byte> thread_log_in(std::span<std::byte> share);

// Copies an experiment's results into its evidence. Returns the number of bytes that it may have written.
size_t gather(Evidence& evidence, const Experiment& experiment, std::span<std::byte> memory);

}  // namespace conformance
