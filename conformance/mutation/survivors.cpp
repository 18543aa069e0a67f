// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/mutation/survivors.h"

namespace conformance {
namespace {

// What a mutant of rpma_ep_shutdown or rpma_ep_get_fd does with NULL, or when the provider fails it.
constexpr std::string_view kOfShutdown = "beyond: of rpma_ep_shutdown(3), which no clause is about yet";
constexpr std::string_view kOfGetFd = "beyond: of rpma_ep_get_fd(3), which no clause is about yet";
constexpr std::string_view kSeam = "equivalent: a seam of the reference that does nothing";
constexpr std::string_view kEither =
    "equivalent: rdma_getaddrinfo(3) lets one of QP type and port space be left 0; the other says the same";
constexpr std::string_view kLogged = "beyond: of what is logged, which no clause is about";
constexpr std::string_view kSetUp = "beyond: of a function that the harness uses, and no clause is about yet";

constexpr Survivor kSurvivors[] = {
    {"listen.cpp", "delete hints.ai_qp_type = IBV_QPT_RC;", kEither},
    {"listen.cpp", "delete hints.ai_port_space = RDMA_PS_TCP;", kEither},
    {"listen.cpp", "delete seam::*", kSeam},
    {"listen.cpp", "delete listener::seam::*", kSeam},

    {"endpoint.cpp", "delete listener::seam::*", kSeam},
    {"endpoint.cpp", "delete return failed(*", kOfShutdown},
    {"endpoint.cpp", "drop-error return failed(*", kOfShutdown},
    {"endpoint.cpp", "swap RPMA_E_INVAL for RPMA_E_PROVIDER in if (ep_ptr == nullptr)*", kOfShutdown},
    {"endpoint.cpp", "swap RPMA_E_PROVIDER for RPMA_E_NOMEM in if (seam::release(*", kOfShutdown},
    {"endpoint.cpp", "delete return 0;", kOfShutdown},
    {"endpoint.cpp", "swap 0 for 1 in if (*ep_ptr == nullptr) return 0;", kOfShutdown},
    {"endpoint.cpp", "swap || for && in if (ep == nullptr || fd == nullptr)", kOfGetFd},
    {"endpoint.cpp", "delete return listener::failed(*", kOfGetFd},
    {"endpoint.cpp", "drop-error return listener::failed(*", kOfGetFd},
    {"endpoint.cpp", "swap RPMA_E_INVAL for RPMA_E_PROVIDER in return listener::failed(*", kOfGetFd},

    {"handles.h", "delete rdma_destroy_qp(id);",
     "beyond: only a request that rpma_ep_next_conn_req(3) gives up has a queue pair then"},

    {"log.cpp", "*", kLogged},
    {"log_targets.cpp", "*", kLogged},
    {"errors.cpp", "*", "beyond: of rpma_err_2str(3), which no clause is about yet"},
    {"connection.cpp", "*", kSetUp},
    {"context.cpp", "*", kSetUp},
    {"peer.cpp", "*", kSetUp},
    {"requests.cpp", "*", kSetUp},
};

}  // namespace

std::span<const Survivor> known_survivors() {
  return kSurvivors;
}

}  // namespace conformance
