// SPDX-License-Identifier: BSD-3-Clause
// A small listener, correct or with one deliberate mistake; see toy_listener.h.
#include "mocks/tests/toy_listener.h"

#include <poll.h>

#include <cerrno>

namespace toy {
namespace {

rdma_cm_id* g_released = nullptr;  // for DistrustsReusedAddress

class Attempt {
 public:
  Attempt(const char* node, const char* service, Mistake mistake)
      : node_(node), service_(service), mistake_(mistake) {}

  int run(Endpoint* endpoint) {
    if (!make_channel() || !make_id() || !find_address() || !bind() || !start() || !look_at_events())
      return give_up();
    free_info();
    *endpoint = made_;
    return 0;
  }

 private:
  bool has(Mistake mistake) const { return mistake_ == mistake; }

  bool failed(int result) const {
    if (has(Mistake::TrustsErrno)) return result != 0 && errno != 0;
    return result != 0;
  }

  bool make_channel() {
    errno = 0;
    made_.channel = rdma_create_event_channel();
    if (made_.channel == nullptr) return has(Mistake::TrustsErrno) && errno == 0;
    return !has(Mistake::TakesZeroForNoDescriptor) || made_.channel->fd > 0;
  }

  bool make_id() {
    const rdma_port_space ps = has(Mistake::WrongPortSpace) ? RDMA_PS_UDP : RDMA_PS_TCP;
    rdma_cm_id* id = nullptr;
    if (failed(rdma_create_id(made_.channel, &id, nullptr, ps))) {
      if (has(Mistake::DestroysUnmadeId)) rdma_destroy_id(id);
      return false;
    }
    made_.id = id;
    return !has(Mistake::DistrustsReusedAddress) || id != g_released;
  }

  bool find_address() {
    rdma_addrinfo hints{};
    hints.ai_flags = has(Mistake::NotPassive) ? 0 : RAI_PASSIVE;
    hints.ai_qp_type = IBV_QPT_RC;
    hints.ai_port_space = RDMA_PS_TCP;
    rdma_addrinfo* info = nullptr;
    const int result = rdma_getaddrinfo(node_, service_, &hints, &info);
    if (has(Mistake::ChecksForMinusOneOnly) ? result == -1 : result != 0) {
      if (has(Mistake::FreesUnmadeInfo)) rdma_freeaddrinfo(info);
      return false;
    }
    info_ = info;
    return true;
  }

  bool bind() {
    if (has(Mistake::ListensUnbound)) return true;
    sockaddr_in any{};
    any.sin_family = AF_INET;
    auto* addr = static_cast<sockaddr*>(static_cast<void*>(&any));
    if (info_ != nullptr && !has(Mistake::BindsWildcard))
      addr = info_->ai_src_addr != nullptr ? info_->ai_src_addr : info_->ai_dst_addr;
    if (has(Mistake::FreesBeforeBind)) free_info();
    return !failed(rdma_bind_addr(made_.id, addr));
  }

  bool start() {
    int result = rdma_listen(made_.id, 0);
    while (has(Mistake::RetriesForEver) && result != 0 && errno == EINTR) result = rdma_listen(made_.id, 0);
    return !failed(result);
  }

  bool look_at_events() {
    const bool takes = has(Mistake::SwallowsEvents) || has(Mistake::LeavesEventUnacknowledged);
    if (!takes && !has(Mistake::TakesEventsForFailures)) return true;
    pollfd ready{made_.channel->fd, POLLIN, 0};
    if (poll(&ready, 1, 0) != 1) return true;
    if (!takes) return false;
    rdma_cm_event* event = nullptr;
    if (rdma_get_cm_event(made_.channel, &event) != 0) return false;
    if (has(Mistake::SwallowsEvents)) rdma_ack_cm_event(event);
    return true;
  }

  void free_info() {
    if (info_ == nullptr || has(Mistake::LeaksInfo)) return;
    rdma_addrinfo* next = info_->ai_next;
    rdma_freeaddrinfo(info_);
    if (has(Mistake::FreesInfoTwice)) rdma_freeaddrinfo(info_);
    if (has(Mistake::FreesEveryResult) && next != nullptr) rdma_freeaddrinfo(next);
    info_ = nullptr;
  }

  int give_up() {
    free_info();
    if (has(Mistake::LeaksId)) made_.id = nullptr;
    if (has(Mistake::LeaksChannel) || has(Mistake::TakesZeroForNoDescriptor)) made_.channel = nullptr;
    shut_down(made_, mistake_);
    return -1;
  }

  const char* node_;
  const char* service_;
  Mistake mistake_;
  Endpoint made_;
  rdma_addrinfo* info_ = nullptr;
};

}  // namespace

int listen(const char* node, const char* service, Mistake mistake, Endpoint* endpoint) {
  return Attempt(node, service, mistake).run(endpoint);
}

void shut_down(const Endpoint& endpoint, Mistake mistake) {
  const bool channel_first = mistake == Mistake::DestroysChannelFirst;
  if (channel_first && endpoint.channel != nullptr) rdma_destroy_event_channel(endpoint.channel);
  if (endpoint.id != nullptr) rdma_destroy_id(endpoint.id);
  g_released = endpoint.id;
  if (!channel_first && endpoint.channel != nullptr) rdma_destroy_event_channel(endpoint.channel);
}

}  // namespace toy
