// SPDX-License-Identifier: BSD-3-Clause
// Addresses of the fake's cm ids: bind, listen, resolve. The errors are those of the kernel's rdma_cm.
#include <cerrno>
#include <cstring>

#include "mocks/fake/addresses.h"
#include "mocks/fake/fake_rdmacm.h"

namespace rdmamock {
namespace {

constexpr int kMaxBacklog = 1024;  // the kernel's value for 0

}  // namespace

// Assign the id to the device.
void FakeRdmacm::use_device(Id& id) {
  if (world_.context == nullptr) {
    world_.context = world_.device.open(true);
    world_.pd = world_.device.alloc_pd(world_.context, true);
  }
  id.pub.verbs = world_.context;
  if (id.pub.pd == nullptr) id.pub.pd = world_.pd;
  id.pub.port_num = 1;
  id.pub.route.addr.addr.ibaddr.pkey = 0xffff;
}

int FakeRdmacm::bind(Id& id, const sockaddr_storage& addr) {
  if (id.state != IdState::Idle || is_unscoped_link_local(addr)) return EINVAL;
  sockaddr_storage bound = addr;
  const bool any = is_wildcard(addr);
  if (!any && is_loopback(addr)) return ENODEV;           // an address of the host, but not of an RDMA device
  if (!any && !is_of_device(addr)) return EADDRNOTAVAIL;  // of another host
  const int error = world_.ports.reserve(&id, bound);
  if (error != 0) return error;
  std::memcpy(&id.pub.route.addr.src_storage, &bound, sizeof bound);
  if (!any) use_device(id);
  id.state = IdState::Bound;
  return 0;
}

int FakeRdmacm::bind_addr(rdma_cm_id* id, sockaddr* addr) {
  const Lock guard = lock();
  Id* found = known(id, "rdma_bind_addr");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_bind_addr")) return fail(EBADF);
  if (address_size(addr) == 0) return fail(EINVAL);
  const int error = bind(*found, copy_address(addr));
  return error == 0 ? 0 : fail(error);
}

int FakeRdmacm::listen(rdma_cm_id* id, int backlog) {
  const Lock guard = lock();
  Id* found = known(id, "rdma_listen");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_listen")) return fail(EBADF);
  if (found->state == IdState::Idle) {
    const int error = bind(*found, wildcard(AF_INET));
    if (error != 0) return fail(error);
  }
  if (found->state != IdState::Bound) return fail(EINVAL);
  found->state = IdState::Listening;
  found->backlog = backlog > 0 && backlog < kMaxBacklog ? backlog : kMaxBacklog;
  return 0;
}

int FakeRdmacm::resolve_addr(rdma_cm_id* id, sockaddr* src, sockaddr* dst, int timeout_ms) {
  Lock guard = lock();
  Id* found = known(id, "rdma_resolve_addr");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_resolve_addr")) return fail(EBADF);
  if (address_size(dst) == 0 || (src != nullptr && address_size(src) == 0)) return fail(EINVAL);
  if (src != nullptr && src->sa_family != dst->sa_family) return fail(EINVAL);
  if (found->state == IdState::Idle) {
    const int error = bind(*found, src != nullptr ? copy_address(src) : wildcard(dst->sa_family));
    if (error != 0) return fail(error);
  }
  if (found->state != IdState::Bound || timeout_ms < 0) return fail(EINVAL);
  sockaddr_storage target = copy_address(dst);
  std::memcpy(&id->route.addr.dst_storage, &target, sizeof target);
  if (is_loopback(target)) {
    queue(*found, RDMA_CM_EVENT_ADDR_ERROR, -ENODEV);
  } else if (!is_of_device(target) && !is_wildcard(target)) {
    queue(*found, RDMA_CM_EVENT_ADDR_ERROR, -ETIMEDOUT);
  } else {
    sockaddr_storage source = device_address(target.ss_family);
    set_port(source, port_of(found->pub.route.addr.src_storage));
    std::memcpy(&id->route.addr.src_storage, &source, sizeof source);
    if (is_wildcard(target)) {
      sockaddr_storage local = device_address(target.ss_family);
      set_port(local, port_of(target));
      std::memcpy(&id->route.addr.dst_storage, &local, sizeof local);
    }
    found->state = IdState::AddrResolved;
    queue(*found, RDMA_CM_EVENT_ADDR_RESOLVED, 0);
  }
  return complete(guard, *found);
}

int FakeRdmacm::resolve_route(rdma_cm_id* id, int timeout_ms) {
  Lock guard = lock();
  Id* found = known(id, "rdma_resolve_route");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_resolve_route")) return fail(EBADF);
  if (found->state != IdState::AddrResolved || timeout_ms < 0) return fail(EINVAL);
  found->state = IdState::RouteResolved;
  queue(*found, RDMA_CM_EVENT_ROUTE_RESOLVED, 0);
  return complete(guard, *found);
}

std::uint16_t FakeRdmacm::get_src_port(rdma_cm_id* id) {
  const Lock guard = lock();
  return known(id, "rdma_get_src_port") == nullptr ? std::uint16_t{0} : port_of(id->route.addr.src_storage);
}

std::uint16_t FakeRdmacm::get_dst_port(rdma_cm_id* id) {
  const Lock guard = lock();
  return known(id, "rdma_get_dst_port") == nullptr ? std::uint16_t{0} : port_of(id->route.addr.dst_storage);
}

}  // namespace rdmamock
