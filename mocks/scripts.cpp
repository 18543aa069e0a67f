// SPDX-License-Identifier: BSD-3-Clause
// Which function plays which script, and the stage they play on; see scripts.h.
#include "mocks/scripts.h"

#include <array>
#include <string_view>

#include "mocks/reporter.h"

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

void (*installer_of(std::string_view script))(Stage& stage) {
  for (const Installer& installer : kInstallers)
    if (script == installer.name) return installer.install;
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
  for (const auto& action : at_end_) action();
}

}  // namespace rdmamock
