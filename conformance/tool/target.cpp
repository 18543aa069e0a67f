// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/target.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <netdb.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "conformance/harness/library.h"
#include "conformance/tool/suggest.h"
#include "mocks/rdmamock.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;
const fs::path kDevices = "/sys/class/infiniband";

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

// RoCE ports name their interfaces in the GID table, InfiniBand ones have an IPoIB interface beside the
// device.
std::set<std::string> interfaces_of(const std::string& device) {
  std::set<std::string> interfaces;
  for (const std::string& port : names_in(kDevices / device / "ports")) {
    const fs::path gids = kDevices / device / "ports" / port / "gid_attrs/ndevs";
    for (const std::string& index : names_in(gids)) {
      std::ifstream file(gids / index);
      std::string name;
      if (std::getline(file, name) && !name.empty()) interfaces.insert(name);
    }
  }
  for (const std::string& name : names_in(kDevices / device / "device/net")) interfaces.insert(name);
  return interfaces;
}

bool same_address(const std::string& one, const std::string& other) {
  if (one == other) return true;  // with a scope, which inet_pton does not take
  std::array<unsigned char, 16> a{};
  std::array<unsigned char, 16> b{};
  for (const int family : {AF_INET, AF_INET6})
    if (inet_pton(family, one.c_str(), a.data()) == 1 && inet_pton(family, other.c_str(), b.data()) == 1)
      return a == b;
  return false;
}

std::string choose_address(const RunOptions& options, const std::string& device) {
  const std::vector<std::string> addresses = addresses_of(device);
  if (addresses.empty())
    throw SetupError(
        fmt::format("{} has no IP address: give its network interface one (ip addr add)", device));
  if (options.address.empty()) return addresses.front();
  if (std::ranges::any_of(addresses, [&](const std::string& a) { return same_address(a, options.address); }))
    return options.address;
  throw SetupError(fmt::format("{} is not an address of {}; it has {}: choose with --addr", options.address,
                               device, fmt::join(addresses, ", ")));
}

}  // namespace

std::vector<std::string> rdma_devices() {
  return names_in(kDevices);
}

std::vector<std::string> addresses_of(const std::string& device) {
  const std::set<std::string> interfaces = interfaces_of(device);
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(all, freeifaddrs);
  std::vector<std::string> found;
  for (const int family : {AF_INET, AF_INET6}) {
    for (const ifaddrs* entry = all; entry != nullptr; entry = entry->ifa_next) {
      if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != family) continue;
      if (!interfaces.contains(entry->ifa_name)) continue;
      std::array<char, NI_MAXHOST> text{};
      const socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
      if (getnameinfo(entry->ifa_addr, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) == 0)
        found.emplace_back(text.data());
    }
  }
  return found;
}

namespace {

Target find_target(const RunOptions& options) {
  if (options.provider == "mock") {
    const std::string address = options.address.empty() ? RDMAMOCK_ADDR : options.address;
    if (!options.device.empty() && options.device != RDMAMOCK_DEVICE)
      throw SetupError(fmt::format("the mock has one device, {}; leave --device out{}", RDMAMOCK_DEVICE,
                                   did_you_mean(options.device, {RDMAMOCK_DEVICE})));
    if (!same_address(address, RDMAMOCK_ADDR) && !same_address(address, RDMAMOCK_ADDR6))
      throw SetupError(fmt::format("{} is not an address of the mock's device; it has {} and {}", address,
                                   RDMAMOCK_ADDR, RDMAMOCK_ADDR6));
    return {"mock", RDMAMOCK_DEVICE, address};
  }
  const std::vector<std::string> devices = rdma_devices();
  if (std::ranges::find(devices, options.device) == devices.end())
    throw SetupError(fmt::format(
        "there is no RDMA device {} on this host; {}", options.device,
        devices.empty() ? std::string("load the card's driver, or use --provider rxe without "
                                      "--device")
                        : fmt::format("it has {}: choose with --device{}", fmt::join(devices, ", "),
                                      did_you_mean(options.device, devices))));
  // A soft-RoCE link names the interface that it was made on.
  if (options.provider == "rxe" && !fs::exists(kDevices / options.device / "parent"))
    throw SetupError(fmt::format("{} is not a soft-RoCE link; use --provider hw --device {}", options.device,
                                 options.device));
  return {options.provider, options.device, choose_address(options, options.device)};
}

}  // namespace

Target choose_target(const RunOptions& options) {
  constexpr unsigned kSteps = 8;  // a connection has up to six
  Target target = find_target(options);
  target.allow_disruptive = options.allow_disruptive;
  if (options.timeout > 0) target.patience_ms = static_cast<int>(options.timeout * 1000 / kSteps);
  return target;
}

}  // namespace conformance
