// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/mutation/survivors.h"

namespace conformance {
namespace {

constexpr Survivor kSurvivors[] = {
    // listen.cpp, endpoint.cpp: what a listen does.
    {"listen.cpp", "delete hints.ai_qp_type = IBV_QPT_RC;",
     "equivalent: rdma_getaddrinfo(3) lets one of QP type and port space be left 0; the other says the same"},
    {"listen.cpp", "delete hints.ai_port_space = RDMA_PS_TCP;",
     "equivalent: rdma_getaddrinfo(3) lets one of QP type and port space be left 0; the other says the same"},
    {"listen.cpp", "delete seam::*", "equivalent: a seam of the reference that does nothing"},
    {"listen.cpp", "delete listener::seam::*", "equivalent: a seam of the reference that does nothing"},
    {"endpoint.cpp", "delete listener::seam::*", "equivalent: a seam of the reference that does nothing"},
    {"handles.h", "delete rdma_destroy_qp(id);",
     "beyond: only a request that rpma_ep_next_conn_req(3) gives up has a queue pair then; no clause is "
     "about it"},
};

}  // namespace

std::span<const Survivor> known_survivors() {
  return kSurvivors;
}

}  // namespace conformance
