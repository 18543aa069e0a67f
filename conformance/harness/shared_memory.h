// SPDX-License-Identifier: BSD-3-Clause
//
// What lies where in the memory that an experiment writes to and the runner reads: the observation, and
// behind it the shim's log; or, where several threads call, one share for each of them and one for the main
// thread.
#pragma once

#include <cstddef>
#include <span>

#include "conformance/harness/experiment.h"
#include "conformance/harness/observation.h"
#include "conformance/harness/pool.h"

namespace conformance {

// Bytes of it, which are all zero at first.
size_t experiment_memory_size(const Library& library);

Observation& observation_in(std::span<std::byte> memory);
std::span<std::byte> log_memory_in(std::span<std::byte> memory);

// How the log memory is divided: evenly, share 0 for the log of the process's main thread (all of it where no
// other thread calls), and from 1 on one for each thread.
std::span<std::byte> share_of(std::span<std::byte> log_memory, unsigned threads, unsigned index);
// What lies in a thread's share.
ThreadSeen& thread_seen_in(std::span<std::byte> share);
std::span<std::byte> thread_log_in(std::span<std::byte> share);

// Takes what an experiment left there over into its evidence. Returns how many bytes it may have written.
size_t gather(Evidence& evidence, const Experiment& experiment, std::span<std::byte> memory);

}  // namespace conformance
