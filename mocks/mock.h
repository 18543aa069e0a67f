// SPDX-License-Identifier: BSD-3-Clause
// The GoogleMock class: the calls on which scripts put expectations. By default each goes on to the fake, as
// every other call does. GoogleMock takes long to compile, so only the scripts include this.
#pragma once

#include <gmock/gmock.h>

#include "mocks/fake/fake_rdmacm.h"

namespace rdmamock {

class MockRdmacm : public FakeRdmacm {
 public:
  MockRdmacm(World& world, FakeRdmacm& fake);

  MOCK_METHOD(rdma_event_channel*, create_event_channel, (), (override));
  MOCK_METHOD(void, destroy_event_channel, (rdma_event_channel*), (override));
  MOCK_METHOD(int, create_id, (rdma_event_channel*, rdma_cm_id**, void*, rdma_port_space), (override));
  MOCK_METHOD(int, destroy_id, (rdma_cm_id*), (override));
  MOCK_METHOD(int, getaddrinfo, (const char*, const char*, const rdma_addrinfo*, rdma_addrinfo**),
              (override));
  MOCK_METHOD(void, freeaddrinfo, (rdma_addrinfo*), (override));
  MOCK_METHOD(int, bind_addr, (rdma_cm_id*, sockaddr*), (override));
  MOCK_METHOD(int, listen, (rdma_cm_id*, int), (override));
};

}  // namespace rdmamock
