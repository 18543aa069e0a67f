// SPDX-License-Identifier: BSD-3-Clause
// The fake's connections: which end gets which event, and when, on one thread and on two.
#include <fcntl.h>
#include <poll.h>

#include <thread>

#include "mocks/tests/fake_fixture.h"

namespace rdmamock {
namespace {

class FakeConnections : public FakeTest {
 protected:
  static bool readable(const rdma_event_channel* channel) {
    pollfd ready{channel->fd, POLLIN, 0};
    return poll(&ready, 1, 0) == 1;
  }

  void TearDown() override {
    cm.destroy_event_channel(client_channel);
    cm.destroy_event_channel(channel);
    EXPECT_TRUE(complaints.empty()) << complaints.front();
    EXPECT_EQ(world.events.count(), 0U);
    EXPECT_EQ(world.ids.count(), 0U);
    EXPECT_EQ(world.channels.count(), 0U);
    EXPECT_EQ(world.device.qps(), 0U);
    EXPECT_EQ(world.device.cqs(), 0U);
  }

  rdma_event_channel* channel = cm.create_event_channel();
  rdma_event_channel* client_channel = cm.create_event_channel();
  rdma_conn_param param{};
};

TEST_F(FakeConnections, RequestIsAcceptedAndEnds) {
  rdma_cm_id* listener = make_listener(channel, 7000);
  rdma_cm_id* client = make_client(client_channel, 7000);
  param.private_data = "question";
  param.private_data_len = sizeof "question";
  ASSERT_EQ(cm.connect(client, &param), 0);

  rdma_cm_event* event = nullptr;
  ASSERT_EQ(cm.get_cm_event(channel, &event), 0);
  EXPECT_EQ(event->event, RDMA_CM_EVENT_CONNECT_REQUEST);
  EXPECT_EQ(event->listen_id, listener);
  EXPECT_STREQ(static_cast<const char*>(event->param.conn.private_data), "question");
  EXPECT_EQ(event->param.conn.private_data_len, 56) << "padded to the size of the message";
  rdma_cm_id* server = event->id;
  EXPECT_EQ(server->channel, channel);
  EXPECT_EQ(cm.get_dst_port(client), cm.get_src_port(server));
  EXPECT_EQ(cm.get_src_port(client), cm.get_dst_port(server));
  EXPECT_EQ(cm.ack_cm_event(event), 0);

  make_qp(server);
  param.private_data = "answer";
  param.private_data_len = sizeof "answer";
  ASSERT_EQ(cm.accept(server, &param), 0);
  EXPECT_FALSE(readable(channel)) << "not before the client has read the answer";
  ASSERT_EQ(cm.get_cm_event(client_channel, &event), 0);
  EXPECT_EQ(event->event, RDMA_CM_EVENT_ESTABLISHED);
  EXPECT_STREQ(static_cast<const char*>(event->param.conn.private_data), "answer");
  EXPECT_EQ(cm.ack_cm_event(event), 0);
  EXPECT_EQ(next(channel), RDMA_CM_EVENT_ESTABLISHED);

  EXPECT_EQ(cm.disconnect(client), 0);
  EXPECT_EQ(next(channel), RDMA_CM_EVENT_DISCONNECTED);
  EXPECT_EQ(next(client_channel), RDMA_CM_EVENT_DISCONNECTED);
  EXPECT_EQ(cm.disconnect(server), 0);
  EXPECT_FALSE(readable(channel));
  destroy(server);
  destroy(client);
  destroy(listener);
}

TEST_F(FakeConnections, WithoutAQueuePairTheClientConfirms) {
  rdma_cm_id* listener = make_listener(channel, 7000);
  rdma_cm_id* client = make_client(client_channel, 7000);
  cm.destroy_qp(client);
  EXPECT_EQ(error_of(cm.connect(client, nullptr)), EINVAL);
  ASSERT_EQ(cm.connect(client, &param), 0);
  rdma_cm_id* server = nullptr;
  EXPECT_EQ(next(channel, &server), RDMA_CM_EVENT_CONNECT_REQUEST);
  ASSERT_EQ(cm.accept(server, &param), 0);
  EXPECT_EQ(next(client_channel), RDMA_CM_EVENT_CONNECT_RESPONSE);
  EXPECT_FALSE(readable(channel));
  EXPECT_EQ(cm.establish(client), 0);
  EXPECT_EQ(next(channel), RDMA_CM_EVENT_ESTABLISHED);
  destroy(client);
  EXPECT_EQ(next(channel), RDMA_CM_EVENT_DISCONNECTED);
  destroy(server);
  destroy(listener);
}

TEST_F(FakeConnections, TheClientGetsARejection) {
  rdma_cm_id* listener = make_listener(channel, 7000);
  rdma_cm_id* client = make_client(client_channel, 7000);
  ASSERT_EQ(cm.connect(client, &param), 0);
  rdma_cm_id* server = nullptr;
  EXPECT_EQ(next(channel, &server), RDMA_CM_EVENT_CONNECT_REQUEST);
  ASSERT_EQ(cm.reject(server, "no", 3), 0);
  EXPECT_EQ(error_of(cm.accept(server, &param)), EINVAL);
  rdma_cm_event* event = nullptr;
  ASSERT_EQ(cm.get_cm_event(client_channel, &event), 0);
  EXPECT_EQ(event->event, RDMA_CM_EVENT_REJECTED);
  EXPECT_EQ(event->status, 28);
  EXPECT_STREQ(static_cast<const char*>(event->param.conn.private_data), "no");
  EXPECT_EQ(cm.ack_cm_event(event), 0);
  destroy(server);
  destroy(client);
  destroy(listener);
}

TEST_F(FakeConnections, AConnectWithoutAListenerIsRejected) {
  rdma_cm_id* client = make_client(client_channel, 7000);
  ASSERT_EQ(cm.connect(client, &param), 0);
  EXPECT_EQ(next(client_channel), RDMA_CM_EVENT_REJECTED);
  destroy(client);
}

TEST_F(FakeConnections, RequestsBeyondTheBacklogAreRejected) {
  rdma_cm_id* listener = make_id(channel);
  EXPECT_EQ(bind(listener, RDMAMOCK_ADDR, 7000), 0);
  EXPECT_EQ(cm.listen(listener, 1), 0);
  rdma_cm_id* first = make_client(client_channel, 7000);
  rdma_cm_id* second = make_client(client_channel, 7000);
  ASSERT_EQ(cm.connect(first, &param), 0);
  EXPECT_FALSE(readable(client_channel));
  ASSERT_EQ(cm.connect(second, &param), 0);
  rdma_cm_id* refused = nullptr;
  EXPECT_EQ(next(client_channel, &refused), RDMA_CM_EVENT_REJECTED);
  EXPECT_EQ(refused, second);
  destroy(first);
  destroy(second);
  destroy(listener);
}

TEST_F(FakeConnections, DestroyingAListenerRejectsQueuedRequests) {
  rdma_cm_id* listener = make_listener(channel, 7000);
  rdma_cm_id* client = make_client(client_channel, 7000);
  ASSERT_EQ(cm.connect(client, &param), 0);
  EXPECT_TRUE(readable(channel));
  destroy(listener);
  EXPECT_FALSE(readable(channel));
  EXPECT_EQ(next(client_channel), RDMA_CM_EVENT_REJECTED);
  destroy(client);
}

TEST_F(FakeConnections, NonBlockingChannelGivesEagain) {
  ASSERT_EQ(fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK), 0);
  rdma_cm_event* event = nullptr;
  EXPECT_EQ(error_of(cm.get_cm_event(channel, &event)), EAGAIN);
  rdma_cm_id* listener = make_listener(channel, 7000);
  cm.inject_request(listener, "one");
  cm.inject_request(listener, "two");
  EXPECT_TRUE(readable(channel));
  rdma_cm_id* server = nullptr;
  EXPECT_EQ(next(channel, &server), RDMA_CM_EVENT_CONNECT_REQUEST);
  EXPECT_TRUE(readable(channel)) << "while another event is queued";
  destroy(server);
  EXPECT_EQ(next(channel, &server), RDMA_CM_EVENT_CONNECT_REQUEST);
  EXPECT_FALSE(readable(channel));
  destroy(server);
  EXPECT_EQ(error_of(cm.get_cm_event(channel, &event)), EAGAIN);
  destroy(listener);
}

TEST_F(FakeConnections, MigrationMovesQueuedEvents) {
  rdma_cm_id* listener = make_listener(channel, 7000);
  cm.inject_event(listener, RDMA_CM_EVENT_ADDR_CHANGE, 0);
  ASSERT_EQ(cm.migrate_id(listener, client_channel), 0);
  EXPECT_FALSE(readable(channel));
  EXPECT_EQ(next(client_channel), RDMA_CM_EVENT_ADDR_CHANGE);
  destroy(listener);
}

TEST_F(FakeConnections, SynchronousClientAndServerOnTwoThreads) {
  rdma_cm_id* listener = make_listener(channel, 7000);
  std::thread server([&] {
    rdma_cm_id* id = nullptr;
    EXPECT_EQ(next(channel, &id), RDMA_CM_EVENT_CONNECT_REQUEST);
    make_qp(id);
    rdma_conn_param answer{};
    EXPECT_EQ(cm.accept(id, &answer), 0);
    EXPECT_EQ(next(channel), RDMA_CM_EVENT_ESTABLISHED);
    EXPECT_EQ(next(channel), RDMA_CM_EVENT_DISCONNECTED);
    destroy(id);
  });
  rdma_cm_id* client = make_id(nullptr);
  sockaddr_storage addr = address(RDMAMOCK_ADDR, 7000);
  EXPECT_EQ(cm.resolve_addr(client, nullptr, raw(addr), 1000), 0);
  EXPECT_EQ(cm.resolve_route(client, 1000), 0);
  make_qp(client);
  EXPECT_EQ(cm.connect(client, &param), 0);
  EXPECT_EQ(client->event->event, RDMA_CM_EVENT_ESTABLISHED);
  EXPECT_EQ(cm.disconnect(client), 0);
  server.join();
  destroy(client);
  destroy(listener);
}

TEST_F(FakeConnections, ManyThreadsMakeAndDestroyIds) {
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      rdma_event_channel* own = cm.create_event_channel();
      for (int i = 0; i < 100; ++i) destroy(make_listener(own, 7000 + t));
      cm.destroy_event_channel(own);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace rdmamock
