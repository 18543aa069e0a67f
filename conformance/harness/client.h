// SPDX-License-Identifier: BSD-3-Clause
//
// A client that connects to an endpoint with librdmacm's own calls, and the server's side of that
// conversation through the IUT: the only proof that an endpoint listens.
#pragma once

#include <string>

#include "conformance/harness/testbed.h"

namespace conformance {

// Connects a reliable, connection-oriented queue pair to address:port, lets the IUT accept it, sees both
// sides established, and disconnects. `text` says what went wrong; where that was the client's own set-up,
// nothing is known about the endpoint. Runs in a child, not armed.
//
// In a cold process the peer's protection domain is of a device context that is not librdmacm's, and
// librdmacm makes a queue pair on its own contexts alone (rdma_create_qp(3)): there nobody can accept, and it
// is enough that the client's request reaches the endpoint.
Works connect_to(const Testbed& bed, rpma_ep* endpoint, const std::string& address, const std::string& port,
                 std::string& text);

// Takes what is queued on an endpoint before any client of ours came; a connection request is accepted and
// its connection dropped. Returns how many requests there were, or -1 where the endpoint has no descriptor.
int take_queued(const Testbed& bed, rpma_ep* endpoint);

}  // namespace conformance
