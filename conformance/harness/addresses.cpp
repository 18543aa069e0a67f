// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/addresses.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <array>
#include <memory>
#include <optional>
#include <stdexcept>

#include "conformance/harness/listen_operation.h"
#include "conformance/harness/testbed.h"
#include "mocks/rdmamock.h"

namespace conformance {
namespace {

bool has_address(const ifaddrs& entry, const std::string& address) {
  if (entry.ifa_addr == nullptr) return false;
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* bytes = nullptr;
  if (entry.ifa_addr->sa_family == AF_INET)
    bytes = &reinterpret_cast<const sockaddr_in*>(entry.ifa_addr)->sin_addr;
  else if (entry.ifa_addr->sa_family == AF_INET6)
    bytes = &reinterpret_cast<const sockaddr_in6*>(entry.ifa_addr)->sin6_addr;
  return bytes != nullptr &&
         inet_ntop(entry.ifa_addr->sa_family, bytes, text.data(), text.size()) != nullptr &&
         address.substr(0, address.find('%')) == text.data();
}

// An IPv6 address, without its scope, and the interface that has it.
struct Found {
  std::string address;
  std::string interface;
};

// The first address of this sort on the interface that has `address`.
std::optional<Found> ipv6_beside(const std::string& address, bool link_local) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return std::nullopt;
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(all, freeifaddrs);
  std::string interface;
  for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next)
    if (has_address(*entry, address)) interface = entry->ifa_name;
  for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET6 || interface != entry->ifa_name)
      continue;
    const auto* const six = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr);
    if ((IN6_IS_ADDR_LINKLOCAL(&six->sin6_addr) != 0) != link_local) continue;
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(AF_INET6, &six->sin6_addr, text.data(), text.size());
    return Found{text.data(), interface};
  }
  return std::nullopt;
}

}  // namespace

std::string address_named(std::string_view text, const Target& target) {
  if (!text.starts_with('@')) return std::string(text);
  if (text == kTarget) return target.address;
  if (text == kWildcard) return target.address.find(':') == std::string::npos ? "0.0.0.0" : "::";
  if (text == kIpv6 && target.provider == "mock") return RDMAMOCK_ADDR6;
  const std::optional<Found> found = ipv6_beside(target.address, text != kIpv6);
  if (!found)
    throw std::runtime_error(fmt::format("the interface of {} has no {} IPv6 address", target.address,
                                         text == kIpv6 ? "global" : "link-local"));
  if (text == kIpv6 || text == kNoScope) return found->address;
  if (text == kLinkLocal) return fmt::format("{}%{}", found->address, found->interface);
  if (text == kUnknownScope) return fmt::format("{}%{}", found->address, "nosuch0");
  throw std::runtime_error(fmt::format("unknown address name {}", text));
}

}  // namespace conformance
