// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/testbed.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "conformance/harness/codes.h"

namespace conformance {
namespace {

// Ports depend on the process id, which differs between running experiments of a host, and are below the
// kernel's ephemeral range. Port 20049 (NFS over RDMA) is between the two ranges.
constexpr int kPorts = 9728;
constexpr int kFirstPort = 10240;
constexpr int kFirstLivePort = 20480;

std::string with_errno(std::string_view what, int error) {
  return fmt::format("{} failed: {}", what, error_name(error));
}

}  // namespace

Testbed::Testbed(const Library& library_, const Target& target_)
    : library(library_),
      target(target_),
      // On the mock each process has its own port space, and the scripts use this port.
      port(target.provider == "mock" ? RDMAMOCK_PORT : std::to_string(kFirstPort + getpid() % kPorts)),
      live_port(std::to_string(kFirstLivePort + getpid() % kPorts)) {}

std::string Testbed::make_peer(Start start) {
  if (start == Start::Cold) {
    // librdmacm must not be called: the context comes from libibverbs.
    const Provider& p = library.provider;
    int count = 0;
    ibv_device** devices = p.get_device_list(&count);
    if (devices == nullptr) return with_errno("ibv_get_device_list", errno);
    for (int i = 0; i < count && context == nullptr; ++i) {
      if (target.device != p.get_device_name(devices[i])) continue;
      context = p.open_device(devices[i]);
      if (context == nullptr) return with_errno("ibv_open_device(" + target.device + ")", errno);
    }
    p.free_device_list(devices);
    if (context == nullptr) return fmt::format("RDMA device {} not found", target.device);
    context_is_ours = true;
  } else if (const int code = library.iut.utils_get_ibv_context(target.address.c_str(),
                                                                RPMA_UTIL_IBV_CONTEXT_LOCAL, &context);
             code != 0) {
    return fmt::format("rpma_utils_get_ibv_context({}) returned {}", target.address, code);
  }
  // rdma_cm selects the device by its address. Two devices can share an interface, and the verdict is about
  // one.
  if (const char* device = library.provider.get_device_name(context->device); target.device != device)
    return fmt::format("address {} belongs to device {}, not to {}; give another device or address",
                       target.address, device, target.device);
  if (const int code = library.iut.peer_new(context, &peer); code != 0)
    return fmt::format("rpma_peer_new returned {}", code);
  return {};
}

std::string Testbed::warm_up() {
  rpma_ep* endpoint = nullptr;
  if (const int code = library.iut.ep_listen(peer, target.address.c_str(), live_port.c_str(), &endpoint);
      code != 0)
    return fmt::format("rpma_ep_listen of the warm-up returned {}", code);
  if (const int code = library.iut.ep_shutdown(&endpoint); code != 0)
    return fmt::format("rpma_ep_shutdown of the warm-up returned {}", code);
  return {};
}

std::string Testbed::make_live() {
  if (const int code = library.iut.ep_listen(peer, target.address.c_str(), live_port.c_str(), &live);
      code != 0)
    return fmt::format("rpma_ep_listen of the live endpoint returned {}", code);
  return {};
}

std::string Testbed::tear_down() {
  std::string first;
  const auto note = [&first](std::string text) {
    if (first.empty()) first = std::move(text);
  };
  if (live != nullptr)
    if (const int code = library.iut.ep_shutdown(&live); code != 0)
      note(fmt::format("rpma_ep_shutdown of the live endpoint returned {}", code));
  if (peer != nullptr)
    if (const int code = library.iut.peer_delete(&peer); code != 0)
      note(fmt::format("rpma_peer_delete returned {}", code));
  if (context_is_ours && library.provider.close_device(context) != 0)
    note(with_errno("ibv_close_device", errno));
  return first;
}

}  // namespace conformance
