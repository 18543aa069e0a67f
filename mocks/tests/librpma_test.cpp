// SPDX-License-Identifier: BSD-3-Clause
// The distribution's librpma on the preloaded mock: a complete connection on one thread and on two, and a
// listen under each script.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librpma.h>
#include <rdma/rdma_cma.h>

#include <span>
#include <string>
#include <thread>

#include "mocks/rdmamock.h"

namespace {

// A function of the control interface, found in the preloaded library.
template <typename F>
F* control(const char* name) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym returns is a function
  return reinterpret_cast<F*>(dlsym(RTLD_DEFAULT, name));
}

std::string home_of(const char* function) {
  void* address = dlsym(RTLD_DEFAULT, function);
  Dl_info info{};
  if (address == nullptr || dladdr(address, &info) == 0) return "";
  return info.dli_fname;
}

class Librpma : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* function : {"rdma_listen", "rdma_get_cm_event", "ibv_alloc_pd"})
      ASSERT_THAT(home_of(function), testing::EndsWith("librdmamock.so")) << "the mock is not preloaded";
    begin_ = control<int(const char*)>("rdmamock_begin");
    end_ = control<void(rdmamock_outcome*)>("rdmamock_end");
    state_ = control<void(struct rdmamock_state*)>("rdmamock_state");
    scripts_ = control<const rdmamock_script*(size_t*)>("rdmamock_scripts");
    ASSERT_TRUE(begin_ != nullptr && end_ != nullptr && state_ != nullptr && scripts_ != nullptr);
    rpma_log_set_threshold(RPMA_LOG_THRESHOLD, RPMA_LOG_DISABLED);
    rpma_log_set_threshold(RPMA_LOG_THRESHOLD_AUX, RPMA_LOG_DISABLED);
    ibv_context* context = nullptr;
    ASSERT_EQ(rpma_utils_get_ibv_context(RDMAMOCK_ADDR, RPMA_UTIL_IBV_CONTEXT_LOCAL, &context), 0);
    ASSERT_EQ(rpma_peer_new(context, &peer), 0);
    EXPECT_EQ(state().pds, 1U);
  }

  void TearDown() override {
    if (peer == nullptr) return;
    EXPECT_EQ(rpma_peer_delete(&peer), 0);
    const struct rdmamock_state held = state();
    EXPECT_EQ(held.channels, 0U);
    EXPECT_EQ(held.ids, 0U);
    EXPECT_EQ(held.listeners, 0U);
    EXPECT_EQ(held.addrinfos, 0U);
    EXPECT_EQ(held.contexts, 0U);
    EXPECT_EQ(held.pds, 0U);
    EXPECT_EQ(held.qps, 0U);
    EXPECT_EQ(held.cqs, 0U);
    EXPECT_EQ(held.mrs, 0U);
    EXPECT_EQ(held.events, 0U);
  }

  void begin(const char* script) { ASSERT_EQ(begin_(script), 0) << script; }

  rdmamock_outcome end() {
    rdmamock_outcome outcome{};
    end_(&outcome);
    return outcome;
  }

  struct rdmamock_state state() {
    struct rdmamock_state held {};
    state_(&held);
    return held;
  }

  std::span<const rdmamock_script> scripts() {
    size_t count = 0;
    const rdmamock_script* rows = scripts_(&count);
    return {rows, count};
  }

  static rpma_conn_event next_event(rpma_conn* conn) {
    rpma_conn_event event = RPMA_CONN_UNDEFINED;
    EXPECT_EQ(rpma_conn_next_event(conn, &event), 0);
    return event;
  }

  rpma_peer* peer = nullptr;

 private:
  int (*begin_)(const char*) = nullptr;
  void (*end_)(rdmamock_outcome*) = nullptr;
  void (*state_)(struct rdmamock_state*) = nullptr;
  const rdmamock_script* (*scripts_)(size_t*) = nullptr;
};

// A client that calls the provider.
class RawClient {
 public:
  RawClient() {
    EXPECT_EQ(rdma_create_id(channel_, &id_, nullptr, RDMA_PS_TCP), 0);
    rdma_addrinfo hints{};
    hints.ai_port_space = RDMA_PS_TCP;
    rdma_addrinfo* info = nullptr;
    EXPECT_EQ(rdma_getaddrinfo(RDMAMOCK_ADDR, RDMAMOCK_PORT, &hints, &info), 0);
    EXPECT_EQ(rdma_resolve_addr(id_, nullptr, info->ai_dst_addr, 1000), 0);
    EXPECT_EQ(next(), RDMA_CM_EVENT_ADDR_RESOLVED);
    rdma_freeaddrinfo(info);
    EXPECT_EQ(rdma_resolve_route(id_, 1000), 0);
    EXPECT_EQ(next(), RDMA_CM_EVENT_ROUTE_RESOLVED);
    ibv_qp_init_attr attr{};
    attr.cap.max_send_wr = attr.cap.max_recv_wr = attr.cap.max_send_sge = attr.cap.max_recv_sge = 1;
    attr.qp_type = IBV_QPT_RC;
    EXPECT_EQ(rdma_create_qp(id_, nullptr, &attr), 0);
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;
  ~RawClient() {
    rdma_destroy_qp(id_);
    EXPECT_EQ(rdma_destroy_id(id_), 0);
    rdma_destroy_event_channel(channel_);
  }

  void connect(const std::string& data) {
    rdma_conn_param param{};
    param.private_data = data.c_str();
    param.private_data_len = static_cast<std::uint8_t>(data.size() + 1);
    param.retry_count = 7;
    EXPECT_EQ(rdma_connect(id_, &param), 0);
  }

  void disconnect() { EXPECT_EQ(rdma_disconnect(id_), 0); }

  rdma_cm_event_type next() {
    rdma_cm_event* event = nullptr;
    EXPECT_EQ(rdma_get_cm_event(channel_, &event), 0);
    const rdma_cm_event_type type = event->event;
    EXPECT_EQ(rdma_ack_cm_event(event), 0);
    return type;
  }

 private:
  rdma_event_channel* channel_ = rdma_create_event_channel();
  rdma_cm_id* id_ = nullptr;
};

TEST_F(Librpma, ACompleteConnectionOnOneThread) {
  begin(nullptr);
  rpma_ep* ep = nullptr;
  ASSERT_EQ(rpma_ep_listen(peer, RDMAMOCK_ADDR, RDMAMOCK_PORT, &ep), 0);
  EXPECT_EQ(state().listeners, 1U) << "the mock did not get librpma's calls";
  {
    RawClient client;
    client.connect("hello");
    rpma_conn_req* request = nullptr;
    ASSERT_EQ(rpma_ep_next_conn_req(ep, nullptr, &request), 0);
    rpma_conn_private_data data{};
    ASSERT_EQ(rpma_conn_req_get_private_data(request, &data), 0);
    EXPECT_STREQ(static_cast<const char*>(data.ptr), "hello");
    rpma_conn* conn = nullptr;
    ASSERT_EQ(rpma_conn_req_connect(&request, nullptr, &conn), 0);
    EXPECT_EQ(client.next(), RDMA_CM_EVENT_ESTABLISHED);
    EXPECT_EQ(next_event(conn), RPMA_CONN_ESTABLISHED);
    client.disconnect();
    EXPECT_EQ(next_event(conn), RPMA_CONN_CLOSED);
    EXPECT_EQ(client.next(), RDMA_CM_EVENT_DISCONNECTED);
    EXPECT_EQ(rpma_conn_disconnect(conn), 0);
    EXPECT_EQ(rpma_conn_delete(&conn), 0);
  }
  EXPECT_EQ(rpma_ep_shutdown(&ep), 0);
  const rdmamock_outcome outcome = end();
  EXPECT_EQ(outcome.failures, 0U) << outcome.text;
}

TEST_F(Librpma, BothEndsAreLibrpmaOnTwoThreads) {
  begin(nullptr);
  rpma_ep* ep = nullptr;
  ASSERT_EQ(rpma_ep_listen(peer, RDMAMOCK_ADDR, RDMAMOCK_PORT, &ep), 0);
  std::thread server([&] {
    rpma_conn_req* request = nullptr;
    ASSERT_EQ(rpma_ep_next_conn_req(ep, nullptr, &request), 0);
    rpma_conn* conn = nullptr;
    ASSERT_EQ(rpma_conn_req_connect(&request, nullptr, &conn), 0);
    EXPECT_EQ(next_event(conn), RPMA_CONN_ESTABLISHED);
    EXPECT_EQ(next_event(conn), RPMA_CONN_CLOSED);
    EXPECT_EQ(rpma_conn_disconnect(conn), 0);
    EXPECT_EQ(rpma_conn_delete(&conn), 0);
  });
  rpma_conn_req* request = nullptr;
  EXPECT_EQ(rpma_conn_req_new(peer, RDMAMOCK_ADDR, RDMAMOCK_PORT, nullptr, &request), 0);
  rpma_conn* conn = nullptr;
  EXPECT_EQ(rpma_conn_req_connect(&request, nullptr, &conn), 0);
  EXPECT_EQ(next_event(conn), RPMA_CONN_ESTABLISHED);
  EXPECT_EQ(rpma_conn_disconnect(conn), 0);
  EXPECT_EQ(next_event(conn), RPMA_CONN_CLOSED);
  server.join();
  EXPECT_EQ(rpma_conn_delete(&conn), 0);
  EXPECT_EQ(rpma_ep_shutdown(&ep), 0);
  const rdmamock_outcome outcome = end();
  EXPECT_EQ(outcome.failures, 0U) << outcome.text;
}

TEST_F(Librpma, ABusyPortGivesAProviderError) {
  begin(nullptr);
  rpma_ep* first = nullptr;
  rpma_ep* second = nullptr;
  ASSERT_EQ(rpma_ep_listen(peer, RDMAMOCK_ADDR, RDMAMOCK_PORT, &first), 0);
  EXPECT_EQ(rpma_ep_listen(peer, RDMAMOCK_ADDR, RDMAMOCK_PORT, &second), RPMA_E_PROVIDER);
  EXPECT_EQ(rpma_ep_listen(peer, "localhost", RDMAMOCK_PORT, &second), RPMA_E_PROVIDER);
  EXPECT_EQ(second, nullptr);
  EXPECT_EQ(rpma_ep_listen(peer, RDMAMOCK_ADDR6, RDMAMOCK_PORT, &second), 0);
  EXPECT_EQ(rpma_ep_shutdown(&first), 0);
  EXPECT_EQ(rpma_ep_shutdown(&second), 0);
  EXPECT_EQ(end().failures, 0U);
}

TEST_F(Librpma, MeetsEachScript) {
  for (const rdmamock_script& script : scripts()) {
    SCOPED_TRACE(script.name);
    begin(script.name);
    rpma_ep* ep = nullptr;
    const int result = rpma_ep_listen(peer, RDMAMOCK_ADDR, RDMAMOCK_PORT, &ep);
    EXPECT_EQ(result, script.expect_success == 1 ? 0 : RPMA_E_PROVIDER);
    if (result == 0 && script.pending_request == 1) {
      rpma_conn_req* request = nullptr;
      ASSERT_EQ(rpma_ep_next_conn_req(ep, nullptr, &request), 0);
      rpma_conn* conn = nullptr;
      ASSERT_EQ(rpma_conn_req_connect(&request, nullptr, &conn), 0);
      EXPECT_EQ(next_event(conn), RPMA_CONN_ESTABLISHED);
      EXPECT_EQ(rpma_conn_disconnect(conn), 0);
      EXPECT_EQ(rpma_conn_delete(&conn), 0);
    }
    EXPECT_EQ(ep != nullptr, result == 0);
    EXPECT_EQ(rpma_ep_shutdown(&ep), 0);
    const rdmamock_outcome outcome = end();
    EXPECT_EQ(outcome.failures, 0U) << outcome.text;
  }
}

}  // namespace
