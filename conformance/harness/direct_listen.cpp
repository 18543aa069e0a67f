// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/direct_listen.h"

#include <fmt/format.h>

#include <cerrno>
#include <memory>

#include "conformance/harness/codes.h"

namespace conformance {
namespace {

std::string failed(const char* function) {
  return fmt::format("{} also failed without the IUT, with {}", function, error_name(errno));
}

}  // namespace

std::string listen_directly(const Provider& provider, const char* address, const char* port) {
  const std::unique_ptr<rdma_event_channel, decltype(provider.destroy_event_channel)> channel(
      provider.create_event_channel(), provider.destroy_event_channel);
  if (!channel) return failed("rdma_create_event_channel");
  rdma_cm_id* made = nullptr;
  if (provider.create_id(channel.get(), &made, nullptr, RDMA_PS_TCP) != 0) return failed("rdma_create_id");
  const std::unique_ptr<rdma_cm_id, decltype(provider.destroy_id)> id(made, provider.destroy_id);
  rdma_addrinfo hints{};
  hints.ai_flags = RAI_PASSIVE;
  hints.ai_qp_type = IBV_QPT_RC;
  hints.ai_port_space = RDMA_PS_TCP;
  rdma_addrinfo* found = nullptr;
  if (provider.getaddrinfo(address, port, &hints, &found) != 0) return failed("rdma_getaddrinfo");
  const std::unique_ptr<rdma_addrinfo, decltype(provider.freeaddrinfo)> info(found, provider.freeaddrinfo);
  if (provider.bind_addr(id.get(), info->ai_src_addr) != 0) return failed("rdma_bind_addr");
  if (provider.listen(id.get(), 0) != 0) return failed("rdma_listen");
  return {};
}

}  // namespace conformance
