// SPDX-License-Identifier: BSD-3-Clause
// Scripts for rdma_listen, and for events during the call.
#include <atomic>

#include "mocks/reporter.h"
#include "mocks/stage.h"

namespace rdmamock {

using testing::_;
using testing::AtLeast;
using testing::DoDefault;
using testing::InvokeWithoutArgs;

namespace {

// More calls than a listener makes that gives up.
constexpr int kInterruptions = 64;

// What the provider does before rdma_listen returns.
using Meanwhile = std::function<void(FakeRdmacm& fake, rdma_cm_id* id)>;

// Call `meanwhile` during the first rdma_listen, which then fails with `error` unless that is 0.
void expect_listen(Stage& stage, int error, const Meanwhile& meanwhile) {
  EXPECT_CALL(stage.mock, listen(_, _))
      .Times(AtLeast(1))
      .WillOnce([&fake = stage.fake, error, meanwhile](rdma_cm_id* id, int backlog) {
        if (error == 0 && fake.listen(id, backlog) != 0) return -1;
        meanwhile(fake, id);
        return error == 0 ? 0 : fail(error);
      })
      .WillRepeatedly(DoDefault());
}

void expect_no_request_swallowed(Stage& stage) {
  stage.at_end([&fake = stage.fake] {
    if (fake.swallowed_requests() != 0)
      report("a connection request was read, but its cm id was neither answered nor destroyed");
  });
}

}  // namespace

void listen_fails_with_errno_zero(Stage& stage) {
  EXPECT_CALL(stage.mock, listen(_, _)).Times(AtLeast(1)).WillRepeatedly(InvokeWithoutArgs(fail_with(0)));
  stage.expect_nothing_kept();
}

// After too many calls the error changes, so that a listener that never gives up returns too and the failure
// is reported.
void listen_is_interrupted_for_ever(Stage& stage) {
  const auto calls = std::make_shared<std::atomic<int>>(0);
  EXPECT_CALL(stage.mock, listen(_, _)).Times(AtLeast(1)).WillRepeatedly(InvokeWithoutArgs([calls] {
    const int call = ++*calls;
    if (call <= kInterruptions) return fail(EINTR);
    if (call == kInterruptions + 1) report("rdma_listen was repeated forever while it fails with EINTR");
    return fail(EIO);
  }));
  stage.expect_nothing_kept();
}

void listen_fails_with_request_pending(Stage& stage) {
  expect_listen(stage, ENOMEM, [](FakeRdmacm& fake, rdma_cm_id* id) { fake.inject_request(id, "request"); });
  expect_no_request_swallowed(stage);
  stage.expect_nothing_kept();
}

void connect_request_arrives_during_listen(Stage& stage) {
  expect_listen(stage, 0, [](FakeRdmacm& fake, rdma_cm_id* id) { fake.inject_request(id, "request"); });
  expect_no_request_swallowed(stage);
}

void address_changes_during_listen(Stage& stage) {
  expect_listen(stage, 0, [](FakeRdmacm& fake, rdma_cm_id* id) {
    fake.inject_event(id, RDMA_CM_EVENT_ADDR_CHANGE, 0);
  });
}

void device_removed_during_listen(Stage& stage) {
  expect_listen(stage, ENODEV, [](FakeRdmacm& fake, rdma_cm_id* id) {
    fake.inject_event(id, RDMA_CM_EVENT_DEVICE_REMOVAL, 0);
  });
  stage.expect_nothing_kept();
}

}  // namespace rdmamock
