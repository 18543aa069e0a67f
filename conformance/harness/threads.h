// SPDX-License-Identifier: BSD-3-Clause
//
// Several threads that listen in one process, each on a port and with an out-parameter of its own; every
// second one has the experiment's rules, the others have none.
//
// What librpma documents (librpma(7), THREAD SAFETY, which refers to THREAD_SAFETY.md of the project):
// rpma_ep_listen, rpma_ep_next_conn_req, rpma_ep_shutdown, rpma_conn_req_delete and
// rpma_utils_get_ibv_context are not thread-safe. rpma_peer_new, rpma_ep_get_fd, rpma_conn_next_event,
// rpma_conn_disconnect, rpma_conn_delete and rpma_log_set_function are; rpma_conn_req_connect is where each
// thread has a request of its own. Threads may share a peer; an endpoint is for one thread.
//
// So all threads are armed at once, and share one peer, but they take turns: one thread at a time is in a
// function that is not thread-safe, as a careful program would have it, and each stays with its own endpoint.
// Each thread's rules hold while every other one calls, and a lock that a failing call leaves held stops the
// next thread.
#pragma once

#include <cstddef>
#include <span>

#include "conformance/harness/experiment.h"
#include "conformance/harness/observation.h"
#include "conformance/harness/testbed.h"

namespace conformance {

// The kernel's id of the thread whose turn it is, while one is at work; 0: none is, or there is but the main
// one.
int32_t thread_at_work(std::span<std::byte> log_memory, unsigned threads);

// In the child, prepared and not armed: makes the threads, lets each of them arm, call, use and give back in
// several rounds, and ends them. A round in which an endpoint does not work is the last one. The observation
// gets the phases, and of the threads without rules what a control is asked for: code and works.
void call_in_threads(const Testbed& bed, const Experiment& experiment, void* sentinel,
                     std::span<std::byte> log_memory, Observation& observation);

}  // namespace conformance
