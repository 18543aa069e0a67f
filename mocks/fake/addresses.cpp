// SPDX-License-Identifier: BSD-3-Clause
// The addresses of the fake host; see addresses.h.
#include "mocks/fake/addresses.h"

#include <arpa/inet.h>

#include <cstring>

#include "mocks/rdmamock.h"

namespace rdmamock {
namespace {

sockaddr_in v4(const sockaddr_storage& addr) {
  sockaddr_in in{};
  std::memcpy(&in, &addr, sizeof in);
  return in;
}

sockaddr_in6 v6(const sockaddr_storage& addr) {
  sockaddr_in6 in{};
  std::memcpy(&in, &addr, sizeof in);
  return in;
}

template <typename T>
sockaddr_storage store(const T& addr) {
  sockaddr_storage result{};
  std::memcpy(&result, &addr, sizeof addr);
  return result;
}

}  // namespace

socklen_t address_size(const sockaddr* addr) {
  if (addr == nullptr) return 0;
  switch (addr->sa_family) {
    case AF_INET:
      return sizeof(sockaddr_in);
    case AF_INET6:
      return sizeof(sockaddr_in6);
    default:
      return 0;
  }
}

sockaddr_storage copy_address(const sockaddr* addr) {
  sockaddr_storage result{};
  if (addr != nullptr) std::memcpy(&result, addr, address_size(addr));
  return result;
}

const sockaddr* as_sockaddr(const sockaddr_storage& addr) {
  return static_cast<const sockaddr*>(static_cast<const void*>(&addr));
}

std::uint16_t port_of(const sockaddr_storage& addr) {
  if (addr.ss_family == AF_INET) return v4(addr).sin_port;
  if (addr.ss_family == AF_INET6) return v6(addr).sin6_port;
  return 0;
}

void set_port(sockaddr_storage& addr, std::uint16_t port) {
  if (addr.ss_family == AF_INET) {
    sockaddr_in in = v4(addr);
    in.sin_port = port;
    addr = store(in);
  } else if (addr.ss_family == AF_INET6) {
    sockaddr_in6 in = v6(addr);
    in.sin6_port = port;
    addr = store(in);
  }
}

bool is_wildcard(const sockaddr_storage& addr) {
  return same_host(addr, wildcard(addr.ss_family));
}

bool is_loopback(const sockaddr_storage& addr) {
  if (addr.ss_family == AF_INET) return (ntohl(v4(addr).sin_addr.s_addr) >> 24) == 127;
  const in6_addr host = v6(addr).sin6_addr;
  return addr.ss_family == AF_INET6 && IN6_IS_ADDR_LOOPBACK(&host);
}

bool is_unscoped_link_local(const sockaddr_storage& addr) {
  if (addr.ss_family != AF_INET6) return false;
  const sockaddr_in6 in = v6(addr);
  return IN6_IS_ADDR_LINKLOCAL(&in.sin6_addr) && in.sin6_scope_id == 0;
}

bool is_of_device(const sockaddr_storage& addr) {
  return same_host(addr, device_address(addr.ss_family));
}

bool same_host(const sockaddr_storage& a, const sockaddr_storage& b) {
  if (a.ss_family != b.ss_family) return false;
  if (a.ss_family == AF_INET) return v4(a).sin_addr.s_addr == v4(b).sin_addr.s_addr;
  const in6_addr x = v6(a).sin6_addr;
  const in6_addr y = v6(b).sin6_addr;
  return a.ss_family == AF_INET6 && std::memcmp(&x, &y, sizeof x) == 0;
}

sockaddr_storage wildcard(int family) {
  sockaddr_storage result{};
  result.ss_family = static_cast<sa_family_t>(family);
  return result;
}

sockaddr_storage device_address(int family) {
  if (family == AF_INET) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    inet_pton(AF_INET, RDMAMOCK_ADDR, &in.sin_addr);
    return store(in);
  }
  sockaddr_in6 in{};
  in.sin6_family = AF_INET6;
  inet_pton(AF_INET6, RDMAMOCK_ADDR6, &in.sin6_addr);
  return store(in);
}

}  // namespace rdmamock
