// SPDX-License-Identifier: BSD-3-Clause
// Scripts for event channels and cm ids.
#include <fcntl.h>
#include <unistd.h>

#include "mocks/stage.h"

namespace rdmamock {

using testing::_;
using testing::AtLeast;
using testing::InvokeWithoutArgs;

void create_channel_fails_with_errno_zero(Stage& stage) {
  EXPECT_CALL(stage.mock, create_event_channel())
      .Times(AtLeast(1))
      .WillRepeatedly(InvokeWithoutArgs([]() -> rdma_event_channel* {
        errno = 0;
        return nullptr;
      }));
  EXPECT_CALL(stage.mock, listen(_, _)).Times(0);
  EXPECT_CALL(stage.mock, destroy_event_channel(nullptr)).Times(0);
  stage.expect_nothing_kept();
}

void create_id_scribbles_then_fails(Stage& stage) {
  auto* const wild = wild_pointer<rdma_cm_id>();
  EXPECT_CALL(stage.mock, create_id(_, _, _, _))
      .Times(AtLeast(1))
      .WillRepeatedly([wild](rdma_event_channel*, rdma_cm_id** id, void*, rdma_port_space) {
        *id = wild;
        return fail(ENOMEM);
      });
  EXPECT_CALL(stage.mock, destroy_id(wild)).Times(0);
  EXPECT_CALL(stage.mock, bind_addr(wild, _)).Times(0);
  EXPECT_CALL(stage.mock, listen(_, _)).Times(0);
  stage.expect_nothing_kept();
}

void ids_reuse_released_addresses(Stage& stage) {
  stage.fake.recycle_ids(true);
  stage.at_end([&fake = stage.fake] { fake.recycle_ids(false); });
  EXPECT_CALL(stage.mock, create_id(_, _, _, _)).Times(AtLeast(1));
  EXPECT_CALL(stage.mock, listen(_, _)).Times(AtLeast(1));
}

void event_channel_has_descriptor_zero(Stage& stage) {
  const int saved = fcntl(0, F_DUPFD_CLOEXEC, 100);
  close(0);
  stage.at_end([saved] {
    if (saved < 0) return;
    dup2(saved, 0);
    close(saved);
  });
  EXPECT_CALL(stage.mock, create_event_channel()).Times(AtLeast(1));
  EXPECT_CALL(stage.mock, listen(_, _)).Times(AtLeast(1));
}

}  // namespace rdmamock
