// SPDX-License-Identifier: BSD-3-Clause
// Address results of the fake. It resolves no names: a node that is not numeric gives EAI_NONAME. Errors of
// the resolver are its EAI_* values and do not set errno; errors of librdmacm itself are -1 with errno.
#include <netdb.h>

#include <cerrno>
#include <cstring>

#include "mocks/fake/addresses.h"
#include "mocks/fake/fake_rdmacm.h"

namespace rdmamock {
namespace {

addrinfo resolver_hints(const rdma_addrinfo& hints) {
  addrinfo result{};
  result.ai_flags = AI_NUMERICHOST | ((hints.ai_flags & RAI_PASSIVE) != 0 ? AI_PASSIVE : 0);
  result.ai_family = hints.ai_family;
  if (hints.ai_qp_type == IBV_QPT_RC || hints.ai_qp_type == IBV_QPT_UC) result.ai_socktype = SOCK_STREAM;
  if (hints.ai_qp_type == IBV_QPT_UD) result.ai_socktype = SOCK_DGRAM;
  if (hints.ai_port_space == RDMA_PS_TCP) result.ai_protocol = IPPROTO_TCP;
  if (hints.ai_port_space == RDMA_PS_UDP || hints.ai_port_space == RDMA_PS_IPOIB)
    result.ai_protocol = IPPROTO_UDP;
  return result;
}

void set_address(const sockaddr* addr, std::unique_ptr<sockaddr_storage>& store, sockaddr*& pub,
                 socklen_t& size) {
  store = std::make_unique<sockaddr_storage>(copy_address(addr));
  pub = static_cast<sockaddr*>(static_cast<void*>(store.get()));
  size = address_size(addr);
}

void fill(AddrInfo& info, const addrinfo& found, const rdma_addrinfo& hints) {
  info.pub.ai_family = found.ai_family;
  info.pub.ai_qp_type = hints.ai_qp_type;
  if (info.pub.ai_qp_type == 0)
    info.pub.ai_qp_type = found.ai_socktype == SOCK_DGRAM ? IBV_QPT_UD : IBV_QPT_RC;
  info.pub.ai_port_space = hints.ai_port_space;
  if (info.pub.ai_port_space == 0)
    info.pub.ai_port_space = found.ai_protocol == IPPROTO_UDP ? RDMA_PS_UDP : RDMA_PS_TCP;
  if ((hints.ai_flags & RAI_PASSIVE) != 0) {
    info.pub.ai_flags = RAI_PASSIVE;
    set_address(found.ai_addr, info.src, info.pub.ai_src_addr, info.pub.ai_src_len);
  } else {
    set_address(found.ai_addr, info.dst, info.pub.ai_dst_addr, info.pub.ai_dst_len);
  }
}

// The addresses stay allocated, like the released result, but with invalid contents.
void poison(AddrInfo& info) {
  for (const auto& addr : {info.src.get(), info.dst.get()})
    if (addr != nullptr) std::memset(addr, 0xd5, sizeof *addr);
}

}  // namespace

int FakeRdmacm::getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints,
                            rdma_addrinfo** res) {
  if (node == nullptr && service == nullptr && hints == nullptr) return fail(EINVAL);
  const rdma_addrinfo none{};
  const rdma_addrinfo& wanted = hints == nullptr ? none : *hints;
  addrinfo* list = nullptr;
  if (node != nullptr || service != nullptr) {
    const addrinfo numeric = resolver_hints(wanted);
    const int saved = errno;
    const int error = ::getaddrinfo(node, service, &numeric, &list);
    if (error != EAI_SYSTEM) errno = saved;
    if (error != 0) return error;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> found(list, [](addrinfo* p) {
    if (p != nullptr) ::freeaddrinfo(p);
  });
  const Lock guard = lock();
  AddrInfo& info = world_.addrinfos.make();
  if (found != nullptr) {
    fill(info, *found, wanted);
  } else {
    info.pub.ai_flags = wanted.ai_flags;
    info.pub.ai_family = wanted.ai_family;
    info.pub.ai_qp_type = wanted.ai_qp_type;
    info.pub.ai_port_space = wanted.ai_port_space;
    if (wanted.ai_dst_len != 0)
      set_address(wanted.ai_dst_addr, info.dst, info.pub.ai_dst_addr, info.pub.ai_dst_len);
  }
  if (info.pub.ai_src_len == 0 && wanted.ai_src_len != 0)
    set_address(wanted.ai_src_addr, info.src, info.pub.ai_src_addr, info.pub.ai_src_len);
  *res = &info.pub;
  return 0;
}

void FakeRdmacm::freeaddrinfo(rdma_addrinfo* res) {
  if (res == nullptr) return;
  const Lock guard = lock();
  AddrInfo* found = world_.addrinfos.find(res);
  if (found != nullptr) {
    for (AddrInfo* info = found; info != nullptr; info = info->next.get()) poison(*info);
    world_.addrinfos.release(*found);
    return;
  }
  bool inner = false;
  world_.addrinfos.each([&](const AddrInfo& head) {
    for (const AddrInfo* info = head.next.get(); info != nullptr; info = info->next.get())
      inner = inner || &info->pub == res;
  });
  if (inner)
    complain("rdma_freeaddrinfo", "the result is not the head of its chain");
  else
    complain("rdma_freeaddrinfo", world_.addrinfos.was_released(res)
                                      ? "the result was freed before"
                                      : "the result is not one of the provider's");
}

void FakeRdmacm::lengthen(rdma_addrinfo* head, int length) {
  const Lock guard = lock();
  AddrInfo* tail = world_.addrinfos.find(head);
  if (tail == nullptr) return;
  for (int i = 1; i < length; ++i) {
    auto info = std::make_unique<AddrInfo>();
    info->pub = *head;
    info->pub.ai_next = nullptr;
    if (head->ai_src_addr != nullptr)
      set_address(head->ai_src_addr, info->src, info->pub.ai_src_addr, info->pub.ai_src_len);
    if (head->ai_dst_addr != nullptr)
      set_address(head->ai_dst_addr, info->dst, info->pub.ai_dst_addr, info->pub.ai_dst_len);
    tail->pub.ai_next = &info->pub;
    tail->next = std::move(info);
    tail = tail->next.get();
  }
}

void FakeRdmacm::drop_source(rdma_addrinfo* head) {
  const Lock guard = lock();
  AddrInfo* info = world_.addrinfos.find(head);
  if (info == nullptr) return;
  info->src.reset();
  info->pub.ai_src_addr = nullptr;
  info->pub.ai_src_len = 0;
}

}  // namespace rdmamock
