// SPDX-License-Identifier: BSD-3-Clause
// The fake's addresses: binding, with the kernel's errors, and the results and errors of getaddrinfo.
#include <netdb.h>

#include "mocks/tests/fake_fixture.h"

namespace rdmamock {
namespace {

class FakeAddresses : public FakeTest {};

TEST_F(FakeAddresses, BindGivesTheKernelsErrors) {
  struct Row {
    const char* host;
    int error;
  };
  for (const Row& row : {Row{RDMAMOCK_ADDR, 0}, Row{RDMAMOCK_ADDR6, 0}, Row{"198.51.100.9", EADDRNOTAVAIL},
                         Row{"2001:db8::9", EADDRNOTAVAIL}, Row{"127.0.0.1", ENODEV}, Row{"::1", ENODEV},
                         Row{"fe80::1", EINVAL}}) {
    rdma_cm_id* id = make_id(nullptr);
    EXPECT_EQ(bind(id, row.host, 7000), row.error) << row.host;
    destroy(id);
  }
}

TEST_F(FakeAddresses, BusyPortsConflictAsInTheKernel) {
  struct Row {
    const char* first;
    const char* second;
    int error;
  };
  for (const Row& row :
       {Row{RDMAMOCK_ADDR, RDMAMOCK_ADDR, EADDRINUSE}, Row{RDMAMOCK_ADDR, "0.0.0.0", EADDRNOTAVAIL},
        Row{"0.0.0.0", RDMAMOCK_ADDR, EADDRNOTAVAIL}, Row{"0.0.0.0", "0.0.0.0", EADDRNOTAVAIL},
        Row{RDMAMOCK_ADDR6, RDMAMOCK_ADDR6, EADDRINUSE}, Row{RDMAMOCK_ADDR, RDMAMOCK_ADDR6, 0},
        Row{"::", RDMAMOCK_ADDR, EADDRNOTAVAIL}}) {
    rdma_cm_id* first = make_id(nullptr);
    rdma_cm_id* second = make_id(nullptr);
    EXPECT_EQ(bind(first, row.first, 7000), 0);
    EXPECT_EQ(bind(second, row.second, 7000), row.error) << row.first << " " << row.second;
    destroy(first);
    if (row.error != 0) {
      EXPECT_EQ(bind(second, row.second, 7000), 0) << "the port must be free again";
    }
    destroy(second);
  }
  EXPECT_TRUE(complaints.empty());
}

TEST_F(FakeAddresses, PortZeroGivesDistinctEphemeralPorts) {
  rdma_cm_id* first = make_id(nullptr);
  rdma_cm_id* second = make_id(nullptr);
  EXPECT_EQ(bind(first, RDMAMOCK_ADDR, 0), 0);
  EXPECT_EQ(bind(second, RDMAMOCK_ADDR, 0), 0);
  EXPECT_GE(ntohs(cm.get_src_port(first)), 32768);
  EXPECT_NE(cm.get_src_port(first), cm.get_src_port(second));
  destroy(first);
  destroy(second);
}

TEST_F(FakeAddresses, BindingASpecificAddressGivesTheDevice) {
  rdma_cm_id* specific = make_id(nullptr);
  rdma_cm_id* any = make_id(nullptr);
  EXPECT_EQ(bind(specific, RDMAMOCK_ADDR, 7000), 0);
  EXPECT_EQ(bind(any, "0.0.0.0", 7001), 0);
  ASSERT_NE(specific->verbs, nullptr);
  EXPECT_STREQ(specific->verbs->device->name, RDMAMOCK_DEVICE);
  EXPECT_EQ(specific->port_num, 1);
  EXPECT_EQ(any->verbs, nullptr);
  destroy(specific);
  destroy(any);
}

TEST_F(FakeAddresses, BindingTwiceOrNothingIsInvalid) {
  rdma_cm_id* id = make_id(nullptr);
  EXPECT_EQ(error_of(cm.bind_addr(id, nullptr)), EINVAL);
  EXPECT_EQ(bind(id, RDMAMOCK_ADDR, 7000), 0);
  EXPECT_EQ(bind(id, RDMAMOCK_ADDR, 7001), EINVAL);
  EXPECT_EQ(cm.listen(id, 0), 0);
  EXPECT_EQ(error_of(cm.listen(id, 0)), EINVAL);
  destroy(id);
}

TEST_F(FakeAddresses, GetaddrinfoFollowsTheHints) {
  rdma_addrinfo hints{};
  hints.ai_port_space = RDMA_PS_TCP;
  hints.ai_qp_type = IBV_QPT_RC;
  for (const int flags : {0, int{RAI_PASSIVE}}) {
    hints.ai_flags = flags;
    rdma_addrinfo* res = nullptr;
    ASSERT_EQ(cm.getaddrinfo(RDMAMOCK_ADDR, "7000", &hints, &res), 0);
    EXPECT_EQ(res->ai_flags, flags);
    EXPECT_EQ(res->ai_family, AF_INET);
    EXPECT_EQ(res->ai_port_space, RDMA_PS_TCP);
    EXPECT_EQ(res->ai_src_len, flags != 0 ? sizeof(sockaddr_in) : 0);
    EXPECT_EQ(res->ai_dst_len, flags != 0 ? 0 : sizeof(sockaddr_in));
    EXPECT_EQ(port_of(copy_address(flags != 0 ? res->ai_src_addr : res->ai_dst_addr)), htons(7000));
    cm.freeaddrinfo(res);
  }
  EXPECT_TRUE(complaints.empty());
}

TEST_F(FakeAddresses, GetaddrinfoFailsWithEaiValuesOrErrno) {
  rdma_addrinfo* const untouched = nullptr;
  rdma_addrinfo* res = untouched;
  errno = 0;
  EXPECT_EQ(cm.getaddrinfo("localhost", "7000", nullptr, &res), EAI_NONAME);
  EXPECT_EQ(cm.getaddrinfo("no.such.name", "7000", nullptr, &res), EAI_NONAME);
  EXPECT_EQ(errno, 0) << "an EAI_* value does not set errno";
  EXPECT_EQ(cm.getaddrinfo(nullptr, nullptr, nullptr, &res), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(res, untouched);
}

TEST_F(FakeAddresses, FreeaddrinfoTakesAHeadOnce) {
  rdma_addrinfo* res = nullptr;
  ASSERT_EQ(cm.getaddrinfo(RDMAMOCK_ADDR, nullptr, nullptr, &res), 0);
  cm.lengthen(res, 3);
  ASSERT_NE(res->ai_next, nullptr);
  ASSERT_NE(res->ai_next->ai_next, nullptr);
  EXPECT_EQ(res->ai_next->ai_next->ai_next, nullptr);
  cm.freeaddrinfo(res->ai_next);
  EXPECT_TRUE(complained("head"));
  cm.freeaddrinfo(res);
  EXPECT_EQ(complaints.size(), 1U);
  cm.freeaddrinfo(res);
  EXPECT_TRUE(complained("before"));
  cm.freeaddrinfo(nullptr);
  EXPECT_EQ(complaints.size(), 2U);
}

TEST_F(FakeAddresses, UnreachableTargetsGiveAddressErrors) {
  rdma_event_channel* channel = cm.create_event_channel();
  for (const char* host : {"198.51.100.9", "127.0.0.1"}) {
    rdma_cm_id* id = make_id(channel);
    sockaddr_storage addr = address(host, 7000);
    EXPECT_EQ(cm.resolve_addr(id, nullptr, raw(addr), 1000), 0);
    EXPECT_EQ(next(channel), RDMA_CM_EVENT_ADDR_ERROR);
    EXPECT_EQ(error_of(cm.resolve_route(id, 1000)), EINVAL);
    destroy(id);
    rdma_cm_id* sync = make_id(nullptr);
    EXPECT_NE(error_of(cm.resolve_addr(sync, nullptr, raw(addr), 1000)), 0);
    destroy(sync);
  }
  cm.destroy_event_channel(channel);
  EXPECT_TRUE(complaints.empty());
}

}  // namespace
}  // namespace rdmamock
