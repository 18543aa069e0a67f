// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads that listen in one process, each with its own port and out-parameter. Every second one has
// the experiment's rules, the others have none.
//
// What librpma documents (librpma(7), THREAD SAFETY, which refers to THREAD_SAFETY.md of the project):
// rpma_ep_listen, rpma_ep_next_conn_req, rpma_ep_shutdown, rpma_conn_req_delete and
// rpma_utils_get_ibv_context are not thread-safe. rpma_peer_new, rpma_ep_get_fd, rpma_conn_next_event,
// rpma_conn_disconnect, rpma_conn_delete and rpma_log_set_function are; rpma_conn_req_connect is, if each
// thread has its own request. Threads may share a peer; an endpoint is for one thread.
//
// So all threads are armed at the same time and share one peer, but they take turns: as in a correct program,
// only one thread is in a function that is not thread-safe, and each one uses its own endpoint. Each thread's
// rules stay armed while the others call, and the next thread hangs if a failing call does not release a
// lock.
#pragma once

#include <cstddef>
#include <span>

#include "conformance/harness/experiment.h"
#include "conformance/harness/observation.h"
#include "conformance/harness/testbed.h"

namespace conformance {

// The kernel's id of the thread that is in its turn; 0: none, or there is only the main thread.
int32_t thread_at_work(std::span<std::byte> log_memory, unsigned threads);

// In the child, prepared and not armed. Starts the threads; each one arms, calls, uses and releases in
// several rounds. After a round in which an endpoint does not work there is no other one. The observation
// gets the phases, and `code` and `works` of the threads without rules.
void call_in_threads(const Testbed& bed, const Experiment& experiment, void* sentinel,
                     std::span<std::byte> log_memory, Observation& observation);

}  // namespace conformance
