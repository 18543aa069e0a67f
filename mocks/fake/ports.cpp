// SPDX-License-Identifier: BSD-3-Clause
// The TCP port space of the fake; see ports.h.
#include "mocks/fake/ports.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cerrno>

#include "mocks/fake/addresses.h"

namespace rdmamock {
namespace {

constexpr std::uint32_t kFirstEphemeral = 32768;  // Linux's default ip_local_port_range
constexpr std::uint32_t kLastEphemeral = 60999;

}  // namespace

int PortSpace::reserve(const void* owner, sockaddr_storage& addr) {
  if (port_of(addr) == 0) {
    constexpr std::uint32_t range = kLastEphemeral - kFirstEphemeral + 1;
    for (std::uint32_t i = 0; i < range; ++i) {
      const auto port = static_cast<std::uint16_t>(kFirstEphemeral + (next_ephemeral_ + i) % range);
      if (taken(htons(port))) continue;
      next_ephemeral_ = (next_ephemeral_ + i + 1) % range;
      set_port(addr, htons(port));
      owners_[owner] = addr;
      return 0;
    }
    return EADDRNOTAVAIL;
  }
  const int error = conflict(addr);
  if (error == 0) owners_[owner] = addr;
  return error;
}

void PortSpace::release(const void* owner) {
  owners_.erase(owner);
}

// Owners of different families conflict if one is a wildcard: an IPv6 id is not IPv6-only by default.
int PortSpace::conflict(const sockaddr_storage& addr) const {
  for (const auto& [owner, taken_addr] : owners_) {
    if (port_of(taken_addr) != port_of(addr)) continue;
    if (is_wildcard(addr) || is_wildcard(taken_addr)) return EADDRNOTAVAIL;
    if (same_host(addr, taken_addr)) return EADDRINUSE;
  }
  return 0;
}

bool PortSpace::taken(std::uint16_t port) const {
  return std::any_of(owners_.begin(), owners_.end(),
                     [port](const auto& entry) { return port_of(entry.second) == port; });
}

}  // namespace rdmamock
