// SPDX-License-Identifier: BSD-3-Clause
// The fake complains once about each call that breaks the provider's API, and about no other call.
#include "mocks/tests/fake_fixture.h"

namespace rdmamock {
namespace {

class FakeContract : public FakeTest {
 protected:
  // There is one complaint, and it contains this: the call, or the word that tells the reason.
  void expect_complaint(const std::string& words) {
    EXPECT_EQ(complaints.size(), 1U);
    EXPECT_TRUE(complained(words)) << (complaints.empty() ? "no complaint" : complaints.front());
    complaints.clear();
  }

  rdma_event_channel* channel = cm.create_event_channel();
};

TEST_F(FakeContract, ChannelDestroyedTwice) {
  cm.destroy_event_channel(channel);
  EXPECT_TRUE(complaints.empty());
  cm.destroy_event_channel(channel);
  expect_complaint("before");
}

TEST_F(FakeContract, ChannelNeverMade) {
  rdma_event_channel stranger{0};
  cm.destroy_event_channel(&stranger);
  expect_complaint("not one of");
  cm.destroy_event_channel(nullptr);
  expect_complaint("not one of");
}

TEST_F(FakeContract, ChannelDestroyedBeforeItsIds) {
  rdma_cm_id* id = make_id(channel);
  cm.destroy_event_channel(channel);
  expect_complaint("1 cm id(s)");
  EXPECT_EQ(error_of(cm.destroy_id(id)), EBADF);
  expect_complaint("rdma_destroy_id");
}

TEST_F(FakeContract, IdDestroyedTwice) {
  rdma_cm_id* id = make_id(channel);
  EXPECT_EQ(cm.destroy_id(id), 0);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(error_of(cm.destroy_id(id)), EINVAL);
  expect_complaint("before");
}

TEST_F(FakeContract, IdUsedAfterItsDestruction) {
  rdma_cm_id* id = make_id(channel);
  EXPECT_EQ(cm.destroy_id(id), 0);
  EXPECT_EQ(bind(id, RDMAMOCK_ADDR, 7000), EINVAL);
  expect_complaint("rdma_bind_addr");
  EXPECT_EQ(error_of(cm.listen(id, 0)), EINVAL);
  expect_complaint("rdma_listen");
}

TEST_F(FakeContract, IdDestroyedWithUnacknowledgedEvent) {
  rdma_cm_id* listener = make_listener(channel, 7000);
  cm.inject_event(listener, RDMA_CM_EVENT_ADDR_CHANGE, 0);
  rdma_cm_event* event = nullptr;
  ASSERT_EQ(cm.get_cm_event(channel, &event), 0);
  EXPECT_EQ(cm.destroy_id(listener), 0);
  expect_complaint("rdma_destroy_id: 1 event(s)");
  EXPECT_EQ(cm.ack_cm_event(event), 0);
  EXPECT_TRUE(complaints.empty()) << "one mistake, one complaint";
}

TEST_F(FakeContract, IdMigratedWithUnacknowledgedEvent) {
  rdma_cm_id* listener = make_listener(channel, 7000);
  cm.inject_event(listener, RDMA_CM_EVENT_ADDR_CHANGE, 0);
  rdma_cm_event* event = nullptr;
  ASSERT_EQ(cm.get_cm_event(channel, &event), 0);
  EXPECT_EQ(cm.migrate_id(listener, cm.create_event_channel()), 0);
  expect_complaint("rdma_migrate_id: 1 event(s)");
}

TEST_F(FakeContract, IdDestroyedWithItsQueuePair) {
  cm.create_event_channel();
  rdma_cm_id* id = make_client(channel, 7000);
  EXPECT_EQ(cm.destroy_id(id), 0);
  expect_complaint("queue pair");
}

TEST_F(FakeContract, QueuePairDestroyedTwice) {
  rdma_cm_id* id = make_client(channel, 7000);
  cm.destroy_qp(id);
  cm.destroy_qp(id);
  expect_complaint("rdma_destroy_qp");
}

TEST_F(FakeContract, EventAcknowledgedTwice) {
  rdma_cm_id* listener = make_listener(channel, 7000);
  cm.inject_event(listener, RDMA_CM_EVENT_ADDR_CHANGE, 0);
  rdma_cm_event* event = nullptr;
  ASSERT_EQ(cm.get_cm_event(channel, &event), 0);
  EXPECT_EQ(cm.ack_cm_event(event), 0);
  EXPECT_EQ(error_of(cm.ack_cm_event(event)), EINVAL);
  expect_complaint("before");
  EXPECT_EQ(error_of(cm.ack_cm_event(nullptr)), EINVAL);
  EXPECT_TRUE(complaints.empty());
}

TEST_F(FakeContract, AReleasedHandleIsOverwrittenAndNotReused) {
  rdma_cm_id* id = make_id(channel);
  EXPECT_EQ(cm.destroy_id(id), 0);
  EXPECT_NE(id->channel, channel);
  EXPECT_NE(make_id(channel), id);
  cm.recycle_ids(true);
  EXPECT_EQ(make_id(channel), id);
  EXPECT_EQ(cm.destroy_id(id), 0);
  EXPECT_TRUE(complaints.empty());
}

TEST_F(FakeContract, VerbsHandlesAreReleasedOnceAndInOrder) {
  int count = 0;
  ibv_device** list = verbs.get_device_list(&count);
  ASSERT_EQ(count, 1);
  EXPECT_STREQ(verbs.get_device_name(list[0]), RDMAMOCK_DEVICE);
  ibv_context* context = verbs.open_device(list[0]);
  verbs.free_device_list(list);
  ibv_pd* pd = verbs.alloc_pd(context);
  char byte = 0;
  ibv_mr* mr = verbs.reg_mr(pd, &byte, 1, 0);
  ibv_comp_channel* comp = verbs.create_comp_channel(context);
  ibv_cq* cq = verbs.create_cq(context, 1, nullptr, comp, 0);
  EXPECT_EQ(verbs.dealloc_pd(pd), EBUSY);
  EXPECT_EQ(verbs.destroy_comp_channel(comp), EBUSY);
  EXPECT_EQ(verbs.destroy_cq(cq), 0);
  EXPECT_EQ(verbs.destroy_comp_channel(comp), 0);
  EXPECT_EQ(verbs.dereg_mr(mr), 0);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(verbs.dereg_mr(mr), EINVAL);
  expect_complaint("ibv_dereg_mr");
  EXPECT_EQ(verbs.close_device(context), 0);
  expect_complaint("ibv_close_device");
  verbs.free_device_list(list);
  expect_complaint("ibv_free_device_list");
}

TEST_F(FakeContract, TheCallerMustNotCloseLibrdmacmsContext) {
  rdma_cm_id* id = make_id(channel);
  EXPECT_EQ(bind(id, RDMAMOCK_ADDR, 7000), 0);
  EXPECT_EQ(verbs.close_device(id->verbs), EINVAL);
  expect_complaint("ibv_close_device");
  EXPECT_EQ(verbs.dealloc_pd(id->pd), EINVAL);
  expect_complaint("ibv_dealloc_pd");
}

TEST_F(FakeContract, AQueuePairNeedsAProtectionDomainOfTheIdsContext) {
  rdma_cm_id* id = make_client(channel, 7000);
  cm.destroy_qp(id);
  ibv_device** list = verbs.get_device_list(nullptr);
  ibv_context* context = verbs.open_device(list[0]);
  verbs.free_device_list(list);
  ibv_pd* pd = verbs.alloc_pd(context);
  ibv_qp_init_attr attr{};
  attr.cap.max_send_wr = attr.cap.max_recv_wr = 1;
  attr.qp_type = IBV_QPT_RC;
  EXPECT_EQ(error_of(cm.create_qp(id, pd, &attr)), EINVAL);
  EXPECT_TRUE(complaints.empty());
}

}  // namespace
}  // namespace rdmamock
