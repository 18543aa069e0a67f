// SPDX-License-Identifier: BSD-3-Clause
// Scripts: what a provider may do and no kernel shows on demand, with what is then expected of a listener. A
// script is a row of scripts.inc and a function that installs expectations; functions lie
// together by subject.
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "mocks/fake/fake_rdmacm.h"
#include "mocks/mock.h"
#include "mocks/rdmamock.h"

namespace rdmamock {

struct rdmamock_state count_held(World& world);

// What a script works with: the mock that it puts expectations on, the fake below it, and what it must do at
// its end.
class Stage {
 public:
  Stage(testing::NiceMock<MockRdmacm>& mock, FakeRdmacm& fake_below, World& world_below)
      : cm(mock), fake(fake_below), world(world_below) {}

  // Expect that at the end no channel, id or address result is held that was not held at the beginning.
  void expect_nothing_kept();

  void at_end(std::function<void()> action) { at_end_.push_back(std::move(action)); }
  void finish();

  testing::NiceMock<MockRdmacm>& cm;
  FakeRdmacm& fake;
  World& world;

 private:
  std::vector<std::function<void()>> at_end_;
};

// The handles of the first listener that is made under a script. Matchers refer to them by reference.
struct Handles {
  rdma_cm_id* id = nullptr;
  rdma_addrinfo* info = nullptr;
  sockaddr_storage source{};  // of the result, as it was when it was handed out
};

// The function that installs a script's expectations; null where there is no such script.
void (*installer_of(std::string_view script))(Stage& stage);

// scripts_resources.cpp: event channels and cm ids
void create_channel_fails_with_errno_zero(Stage& stage);
void create_id_scribbles_then_fails(Stage& stage);
void ids_reuse_released_addresses(Stage& stage);
void event_channel_has_descriptor_zero(Stage& stage);

// scripts_addresses.cpp: getaddrinfo and bind
void getaddrinfo_scribbles_then_fails(Stage& stage);
void getaddrinfo_fails_with_system_error(Stage& stage);
void getaddrinfo_gives_three_results(Stage& stage);
void getaddrinfo_gives_no_address(Stage& stage);
void bind_fails_then_works(Stage& stage);
void listen_asks_for_right_things(Stage& stage);

// scripts_listen.cpp: listen, and what happens meanwhile
void listen_fails_with_errno_zero(Stage& stage);
void listen_is_interrupted_for_ever(Stage& stage);
void listen_fails_with_request_pending(Stage& stage);
void connect_request_arrives_during_listen(Stage& stage);
void address_changes_during_listen(Stage& stage);
void device_removed_during_listen(Stage& stage);

}  // namespace rdmamock
