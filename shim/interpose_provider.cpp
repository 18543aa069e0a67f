// SPDX-License-Identifier: BSD-3-Clause
//
// The interposed functions of librdmacm.
#include <arpa/inet.h>
#include <endian.h>
#include <infiniband/ib.h>
#include <rdma/rdma_cma.h>

#include "shim/intercept.h"

namespace rdmafault {
namespace {

// The port of an address in host byte order; 0 if it has none.
int port_of(const sockaddr* address) {
  if (address == nullptr) return 0;
  switch (address->sa_family) {
    case AF_INET:
      return ntohs(reinterpret_cast<const sockaddr_in*>(address)->sin_port);
    case AF_INET6:
      return ntohs(reinterpret_cast<const sockaddr_in6*>(address)->sin6_port);
    case AF_IB:
      // The last two bytes of the service id, in the port spaces of TCP and UDP.
      return static_cast<int>(be64toh(reinterpret_cast<const sockaddr_ib*>(address)->sib_sid) & 0xffff);
    default:
      return 0;
  }
}

}  // namespace
}  // namespace rdmafault

using rdmafault::as_handle;
using rdmafault::Call;
using rdmafault::disarmed;
using rdmafault::Function;
using rdmafault::intercept;
using rdmafault::kNothing;
using rdmafault::next;
using rdmafault::record_args;

RDMAFAULT_EXPORT rdma_event_channel* rdma_create_event_channel() {
  if (disarmed()) [[likely]]
    return next<Function::rdma_create_event_channel>();
  return intercept<Function::rdma_create_event_channel>(
      __builtin_return_address(0), kNothing,
      [](Call& call, rdma_event_channel* made) { call.acquired = as_handle(made); });
}

RDMAFAULT_EXPORT int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context,
                                    rdma_port_space ps) {
  if (disarmed()) [[likely]]
    return next<Function::rdma_create_id>(channel, id, context, ps);
  return intercept<Function::rdma_create_id>(
      __builtin_return_address(0),
      [](Call& call, auto* on, auto**, void*, auto space) { record_args(call, on, space); },
      [](Call& call, int result, auto*, auto** made, void*, auto) {
        if (result == 0) call.acquired = as_handle(*made);
      },
      channel, id, context, ps);
}

RDMAFAULT_EXPORT int rdma_getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints,
                                      rdma_addrinfo** res) {
  if (disarmed()) [[likely]]
    return next<Function::rdma_getaddrinfo>(node, service, hints, res);
  return intercept<Function::rdma_getaddrinfo>(
      __builtin_return_address(0),
      [](Call& call, auto* host, auto* port, const rdma_addrinfo* wanted, auto**) {
        const rdma_addrinfo none = {};
        const rdma_addrinfo& info = wanted != nullptr ? *wanted : none;
        record_args(call, info.ai_flags, info.ai_family, info.ai_qp_type, info.ai_port_space, host != nullptr,
                    port != nullptr);
      },
      [](Call& call, int result, auto*, auto*, auto*, auto** made) {
        if (result == 0) call.acquired = as_handle(*made);
      },
      node, service, hints, res);
}

RDMAFAULT_EXPORT int rdma_bind_addr(rdma_cm_id* id, sockaddr* addr) {
  if (disarmed()) [[likely]]
    return next<Function::rdma_bind_addr>(id, addr);
  return intercept<Function::rdma_bind_addr>(
      __builtin_return_address(0),
      [](Call& call, auto* bound, const sockaddr* to) {
        record_args(call, bound, to != nullptr ? to->sa_family : 0, rdmafault::port_of(to));
      },
      kNothing, id, addr);
}

RDMAFAULT_EXPORT int rdma_listen(rdma_cm_id* id, int backlog) {
  if (disarmed()) [[likely]]
    return next<Function::rdma_listen>(id, backlog);
  return intercept<Function::rdma_listen>(
      __builtin_return_address(0), [](Call& call, auto* on, int queue) { record_args(call, on, queue); },
      kNothing, id, backlog);
}

RDMAFAULT_EXPORT int rdma_destroy_id(rdma_cm_id* id) {
  if (disarmed()) [[likely]]
    return next<Function::rdma_destroy_id>(id);
  return intercept<Function::rdma_destroy_id>(
      __builtin_return_address(0), [](Call& call, auto* gone) { call.released = as_handle(gone); }, kNothing,
      id);
}

RDMAFAULT_EXPORT void rdma_destroy_event_channel(rdma_event_channel* channel) {
  if (disarmed()) [[likely]]
    return next<Function::rdma_destroy_event_channel>(channel);
  intercept<Function::rdma_destroy_event_channel>(
      __builtin_return_address(0), [](Call& call, auto* gone) { call.released = as_handle(gone); }, kNothing,
      channel);
}

RDMAFAULT_EXPORT void rdma_freeaddrinfo(rdma_addrinfo* res) {
  if (disarmed()) [[likely]]
    return next<Function::rdma_freeaddrinfo>(res);
  intercept<Function::rdma_freeaddrinfo>(
      __builtin_return_address(0), [](Call& call, auto* gone) { call.released = as_handle(gone); }, kNothing,
      res);
}
