// SPDX-License-Identifier: BSD-3-Clause
// What the scripts share. A script is a row of scripts.inc and a function that sets expectations on a Stage;
// the functions are grouped by subject. Only the scripts include this: GoogleMock takes long to compile.
#pragma once

#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "mocks/fake/addresses.h"
#include "mocks/mock.h"
#include "mocks/scripts.h"

namespace rdmamock {

// What a script works with: the mock that it puts expectations on, the fake below it, and what it must do at
// its end.
class Stage : public Script {
 public:
  Stage(FakeRdmacm& fake_below, World& world_below)
      : mock(world_below, fake_below), fake(fake_below), world(world_below) {}

  FakeRdmacm& cm() override { return mock; }
  void finish() override;

  // Expect that at the end no channel, id or address result is held that was not held at the beginning.
  void expect_nothing_kept();

  void at_end(std::function<void()> action) { at_end_.push_back(std::move(action)); }

  testing::NiceMock<MockRdmacm> mock;
  FakeRdmacm& fake;
  World& world;

 private:
  std::vector<std::function<void()>> at_end_;
};

// The handles of the first listener that is made under a script. Matchers refer to them by reference.
struct Handles {
  rdma_cm_id* id = nullptr;
  rdma_addrinfo* info = nullptr;
  sockaddr_storage source{};  // the source address of `info` as rdma_getaddrinfo returned it
};

// A pointer to no object: any load or store through it crashes.
template <typename T>
T* wild_pointer() {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): deliberately not the address of an object
  return reinterpret_cast<T*>(std::uintptr_t{0x5ca1ab1e5ca1ab18});
}

MATCHER(IsPassive, "is for the passive side") {
  return arg != nullptr && (arg->ai_flags & RAI_PASSIVE) != 0;
}

// An action of create_id: make the id as the fake does, and remember it.
inline auto remember_id(const std::shared_ptr<Handles>& handles, FakeRdmacm& fake) {
  return [handles, &fake](rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space ps) {
    const int result = fake.create_id(channel, id, context, ps);
    if (result == 0) handles->id = *id;
    return result;
  };
}

// An action of getaddrinfo: the same for the address result.
inline auto remember_info(const std::shared_ptr<Handles>& handles, FakeRdmacm& fake) {
  return [handles, &fake](const char* node, const char* service, const rdma_addrinfo* hints,
                          rdma_addrinfo** res) {
    const int result = fake.getaddrinfo(node, service, hints, res);
    if (result == 0) {
      handles->info = *res;
      handles->source = copy_address((*res)->ai_src_addr);
    }
    return result;
  };
}

inline auto fail_with(int error) {
  return [error] { return fail(error); };
}

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

// scripts_listen.cpp: listen, and events during the call
void listen_fails_with_errno_zero(Stage& stage);
void listen_is_interrupted_for_ever(Stage& stage);
void listen_fails_with_request_pending(Stage& stage);
void connect_request_arrives_during_listen(Stage& stage);
void address_changes_during_listen(Stage& stage);
void device_removed_during_listen(Stage& stage);

}  // namespace rdmamock
