// SPDX-License-Identifier: BSD-3-Clause
// The addresses of the fake host: which ones belong to the device, and how the kernel compares them.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

namespace rdmamock {

socklen_t address_size(const sockaddr* addr);  // 0: unknown family
sockaddr_storage copy_address(const sockaddr* addr);
const sockaddr* as_sockaddr(const sockaddr_storage& addr);

std::uint16_t port_of(const sockaddr_storage& addr);  // network byte order
void set_port(sockaddr_storage& addr, std::uint16_t port);

bool is_wildcard(const sockaddr_storage& addr);
bool is_loopback(const sockaddr_storage& addr);
bool is_unscoped_link_local(const sockaddr_storage& addr);
bool is_of_device(const sockaddr_storage& addr);
bool same_host(const sockaddr_storage& a,
               const sockaddr_storage& b);  // families and addresses, not the ports

sockaddr_storage wildcard(int family);
sockaddr_storage device_address(int family);

}  // namespace rdmamock
