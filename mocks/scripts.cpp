// SPDX-License-Identifier: BSD-3-Clause
// Which function sets up which script, and what all scripts share; see scripts.h and stage.h.
#include "mocks/scripts.h"

#include <array>

#include "mocks/reporter.h"
#include "mocks/stage.h"

namespace rdmamock {
namespace {

struct Installer {
  const char* name;
  void (*install)(Stage& stage);
};

#define RDMAMOCK_SCRIPT(name, what, fails, succeeds, requests, function) Installer{#name, function},
constexpr std::array kInstallers{
#include "mocks/scripts.inc"
};
#undef RDMAMOCK_SCRIPT

}  // namespace

std::shared_ptr<Script> start_script(std::string_view name, FakeRdmacm& fake, World& world) {
  for (const Installer& installer : kInstallers) {
    if (name != installer.name) continue;
    auto stage = std::make_shared<Stage>(fake, world);
    installer.install(*stage);
    return stage;
  }
  return nullptr;
}

struct rdmamock_state count_held(World& world) {
  const std::lock_guard<std::mutex> guard(world.mutex);
  struct rdmamock_state held {};
  held.channels = world.channels.count([](const Channel& channel) { return !channel.internal; });
  held.ids = world.ids.count();
  held.listeners = world.ids.count([](const Id& id) { return id.state == IdState::Listening; });
  held.addrinfos = world.addrinfos.count();
  held.contexts = world.device.contexts();
  held.pds = world.device.pds();
  held.qps = world.device.qps();
  held.cqs = world.device.cqs();
  held.mrs = world.device.mrs();
  held.events = world.events.count();
  return held;
}

void Stage::expect_nothing_kept() {
  at_end([this, before = count_held(world)] {
    const struct rdmamock_state after = count_held(world);
    const auto compare = [](std::uint32_t was, std::uint32_t is, const char* what) {
      if (was != is)
        report(std::string(what) + " held: " + std::to_string(was) + " before the listen call, " +
               std::to_string(is) + " at the end");
    };
    compare(before.channels, after.channels, "event channels");
    compare(before.ids, after.ids, "cm ids");
    compare(before.addrinfos, after.addrinfos, "address results");
  });
}

void Stage::finish() {
  testing::Mock::VerifyAndClearExpectations(&mock);
  for (const auto& action : at_end_) action();
}

}  // namespace rdmamock
