// SPDX-License-Identifier: BSD-3-Clause
//
// A client that connects to an endpoint with librdmacm's functions; the server's side uses the IUT. Only a
// connection proves that an endpoint listens.
#pragma once

#include <string>

#include "conformance/harness/testbed.h"

namespace conformance {

// Connects a reliable, connection-oriented queue pair to address:port, lets the IUT accept it, waits until
// both sides are established, and disconnects. `text` says what failed. Unknown: the client's own set-up
// failed. Runs in a child, not armed.
//
// In a cold process the peer's protection domain belongs to a device context that is not librdmacm's, and
// librdmacm creates queue pairs only on its own contexts (rdma_create_qp(3)). So the IUT cannot accept, and
// it is enough that the client's request reaches the endpoint.
Works connect_to(const Testbed& bed, rpma_ep* endpoint, const std::string& address, const std::string& port,
                 std::string& text);

// Empties the endpoint's queue, before our client connects. Each connection request is accepted and its
// connection deleted. Returns the number of requests, or -1 if the endpoint has no descriptor.
int take_queued(const Testbed& bed, rpma_ep* endpoint);

}  // namespace conformance
