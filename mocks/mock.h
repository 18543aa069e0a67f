// SPDX-License-Identifier: BSD-3-Clause
// The GoogleMock classes: each call goes to an expectation of the running script, and by default on to the
// fake.
#pragma once

#include <gmock/gmock.h>

#include "mocks/provider.h"

namespace rdmamock {

class MockRdmacm : public Rdmacm {
 public:
  explicit MockRdmacm(Rdmacm& fake);

  MOCK_METHOD(rdma_event_channel*, create_event_channel, (), (override));
  MOCK_METHOD(void, destroy_event_channel, (rdma_event_channel*), (override));
  MOCK_METHOD(int, create_id, (rdma_event_channel*, rdma_cm_id**, void*, rdma_port_space), (override));
  MOCK_METHOD(int, destroy_id, (rdma_cm_id*), (override));
  MOCK_METHOD(int, migrate_id, (rdma_cm_id*, rdma_event_channel*), (override));
  MOCK_METHOD(int, getaddrinfo, (const char*, const char*, const rdma_addrinfo*, rdma_addrinfo**),
              (override));
  MOCK_METHOD(void, freeaddrinfo, (rdma_addrinfo*), (override));
  MOCK_METHOD(int, bind_addr, (rdma_cm_id*, sockaddr*), (override));
  MOCK_METHOD(int, listen, (rdma_cm_id*, int), (override));
  MOCK_METHOD(int, resolve_addr, (rdma_cm_id*, sockaddr*, sockaddr*, int), (override));
  MOCK_METHOD(int, resolve_route, (rdma_cm_id*, int), (override));
  MOCK_METHOD(std::uint16_t, get_src_port, (rdma_cm_id*), (override));
  MOCK_METHOD(std::uint16_t, get_dst_port, (rdma_cm_id*), (override));
  MOCK_METHOD(int, create_qp, (rdma_cm_id*, ibv_pd*, ibv_qp_init_attr*), (override));
  MOCK_METHOD(int, create_qp_ex, (rdma_cm_id*, ibv_qp_init_attr_ex*), (override));
  MOCK_METHOD(void, destroy_qp, (rdma_cm_id*), (override));
  MOCK_METHOD(int, connect, (rdma_cm_id*, rdma_conn_param*), (override));
  MOCK_METHOD(int, accept, (rdma_cm_id*, rdma_conn_param*), (override));
  MOCK_METHOD(int, reject, (rdma_cm_id*, const void*, std::uint8_t), (override));
  MOCK_METHOD(int, establish, (rdma_cm_id*), (override));
  MOCK_METHOD(int, disconnect, (rdma_cm_id*), (override));
  MOCK_METHOD(int, get_cm_event, (rdma_event_channel*, rdma_cm_event**), (override));
  MOCK_METHOD(int, ack_cm_event, (rdma_cm_event*), (override));
  MOCK_METHOD(const char*, event_str, (rdma_cm_event_type), (override));
};

class MockVerbs : public Verbs {
 public:
  explicit MockVerbs(Verbs& fake);

  MOCK_METHOD(ibv_device**, get_device_list, (int*), (override));
  MOCK_METHOD(void, free_device_list, (ibv_device**), (override));
  MOCK_METHOD(const char*, get_device_name, (ibv_device*), (override));
  MOCK_METHOD(ibv_context*, open_device, (ibv_device*), (override));
  MOCK_METHOD(int, close_device, (ibv_context*), (override));
  MOCK_METHOD(int, query_device, (ibv_context*, ibv_device_attr*), (override));
  MOCK_METHOD(ibv_pd*, alloc_pd, (ibv_context*), (override));
  MOCK_METHOD(int, dealloc_pd, (ibv_pd*), (override));
  MOCK_METHOD(ibv_mr*, reg_mr, (ibv_pd*, void*, size_t, unsigned), (override));
  MOCK_METHOD(int, dereg_mr, (ibv_mr*), (override));
  MOCK_METHOD(ibv_comp_channel*, create_comp_channel, (ibv_context*), (override));
  MOCK_METHOD(int, destroy_comp_channel, (ibv_comp_channel*), (override));
  MOCK_METHOD(ibv_cq*, create_cq, (ibv_context*, int, void*, ibv_comp_channel*, int), (override));
  MOCK_METHOD(int, destroy_cq, (ibv_cq*), (override));
  MOCK_METHOD(int, get_cq_event, (ibv_comp_channel*, ibv_cq**, void**), (override));
  MOCK_METHOD(void, ack_cq_events, (ibv_cq*, unsigned), (override));
  MOCK_METHOD(ibv_srq*, create_srq, (ibv_pd*, ibv_srq_init_attr*), (override));
  MOCK_METHOD(int, destroy_srq, (ibv_srq*), (override));
};

// Both mocks over one fake. Calls that nobody expects are no failure.
struct Mocks {
  Mocks(Rdmacm& cm_fake, Verbs& verbs_fake) : cm(cm_fake), verbs(verbs_fake) {}

  testing::NiceMock<MockRdmacm> cm;
  testing::NiceMock<MockVerbs> verbs;
};

}  // namespace rdmamock
