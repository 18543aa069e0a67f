// SPDX-License-Identifier: BSD-3-Clause
// The TCP port space of the fake, with the kernel's rules for sharing a port.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <map>

namespace rdmamock {

class PortSpace {
 public:
  // Reserve the port of `addr` for `owner`; port 0 picks a free ephemeral one and writes it into `addr`.
  // Returns 0 or an errno: EADDRINUSE if that address and port are taken, EADDRNOTAVAIL if either
  // address is a wildcard or no ephemeral port is free.
  int reserve(const void* owner, sockaddr_storage& addr);

  void release(const void* owner);

 private:
  int conflict(const sockaddr_storage& addr) const;
  bool taken(std::uint16_t port) const;

  std::map<const void*, sockaddr_storage> owners_;
  std::uint32_t next_ephemeral_ = 0;
};

}  // namespace rdmamock
