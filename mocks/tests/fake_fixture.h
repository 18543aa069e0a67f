// SPDX-License-Identifier: BSD-3-Clause
// A new fake for each test, its complaints in a list, and steps that most tests share.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <vector>

#include "mocks/fake/addresses.h"
#include "mocks/fake/fake_rdmacm.h"
#include "mocks/fake/fake_verbs.h"
#include "mocks/rdmamock.h"

namespace rdmamock {

class FakeTest : public testing::Test {
 protected:
  static sockaddr_storage address(const char* host, int port) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(static_cast<std::uint16_t>(port));
    sockaddr_in6 in6{};
    in6.sin6_family = AF_INET6;
    in6.sin6_port = in.sin_port;
    sockaddr_storage result{};
    if (inet_pton(AF_INET, host, &in.sin_addr) == 1)
      std::memcpy(&result, &in, sizeof in);
    else if (inet_pton(AF_INET6, host, &in6.sin6_addr) == 1)
      std::memcpy(&result, &in6, sizeof in6);
    return result;
  }

  static sockaddr* raw(sockaddr_storage& addr) { return static_cast<sockaddr*>(static_cast<void*>(&addr)); }

  // The errno of a call that returns -1 on failure; 0 if it succeeded.
  static int error_of(int result) { return result == 0 ? 0 : errno; }

  rdma_cm_id* make_id(rdma_event_channel* channel) {
    rdma_cm_id* id = nullptr;
    EXPECT_EQ(cm.create_id(channel, &id, nullptr, RDMA_PS_TCP), 0);
    return id;
  }

  int bind(rdma_cm_id* id, const char* host, int port) {
    sockaddr_storage addr = address(host, port);
    return error_of(cm.bind_addr(id, raw(addr)));
  }

  rdma_cm_id* make_listener(rdma_event_channel* channel, int port) {
    rdma_cm_id* id = make_id(channel);
    EXPECT_EQ(bind(id, RDMAMOCK_ADDR, port), 0);
    EXPECT_EQ(cm.listen(id, 0), 0);
    return id;
  }

  // Read and acknowledge the next event of a channel; its id goes to *id unless that is null.
  rdma_cm_event_type next(rdma_event_channel* channel, rdma_cm_id** id = nullptr) {
    rdma_cm_event* event = nullptr;
    EXPECT_EQ(cm.get_cm_event(channel, &event), 0);
    const rdma_cm_event_type type = event->event;
    if (id != nullptr) *id = event->id;
    EXPECT_EQ(cm.ack_cm_event(event), 0);
    return type;
  }

  // A client with a resolved address and route to RDMAMOCK_ADDR, and a queue pair.
  rdma_cm_id* make_client(rdma_event_channel* channel, int port) {
    rdma_cm_id* id = make_id(channel);
    sockaddr_storage addr = address(RDMAMOCK_ADDR, port);
    EXPECT_EQ(cm.resolve_addr(id, nullptr, raw(addr), 1000), 0);
    EXPECT_EQ(next(channel), RDMA_CM_EVENT_ADDR_RESOLVED);
    EXPECT_EQ(cm.resolve_route(id, 1000), 0);
    EXPECT_EQ(next(channel), RDMA_CM_EVENT_ROUTE_RESOLVED);
    make_qp(id);
    return id;
  }

  void make_qp(rdma_cm_id* id) {
    ibv_qp_init_attr attr{};
    attr.cap.max_send_wr = attr.cap.max_recv_wr = 1;
    attr.qp_type = IBV_QPT_RC;
    EXPECT_EQ(cm.create_qp(id, nullptr, &attr), 0);
  }

  void destroy(rdma_cm_id* id) {
    if (id->qp != nullptr) cm.destroy_qp(id);
    EXPECT_EQ(cm.destroy_id(id), 0);
  }

  bool complained(const std::string& text) const {
    return std::ranges::any_of(complaints, [&text](const std::string& complaint) {
      return complaint.find(text) != std::string::npos;
    });
  }

  std::vector<std::string> complaints;
  World world{[this](const std::string& what) { complaints.push_back(what); }};
  FakeRdmacm cm{world};
  FakeVerbs verbs{world};
};

}  // namespace rdmamock
