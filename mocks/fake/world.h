// SPDX-License-Identifier: BSD-3-Clause
// The state of the fake: the device, event channels, cm ids, address results, ports and connections.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <mutex>

#include "mocks/fake/complaints.h"
#include "mocks/fake/device.h"
#include "mocks/fake/ports.h"
#include "mocks/fake/registry.h"
#include "mocks/provider.h"

namespace rdmamock {

struct Id;

// An event, queued on the channel of its id or delivered and not yet acknowledged.
struct Event {
  rdma_cm_event pub{};
  std::array<std::uint8_t, 256> data{};  // what the private data of `pub` points to
  Id* owner = nullptr;                   // the id whose event it is; null: the id is destroyed
  Id* client = nullptr;  // of a queued connection request; null: no client waits for the answer
};

struct Channel {
  rdma_event_channel pub{};
  bool internal = false;  // of an id that was created without a channel
  std::deque<Event*> queue;
};

enum class IdState {
  Idle,
  Bound,
  Listening,
  AddrResolved,
  RouteResolved,
  Connecting,  // active: the request was sent
  Requested,   // passive: the request was delivered
  Accepted,    // passive: the answer was sent
  Answered,    // active: the answer arrived
  Connected,
  Disconnected,
  Failed
};

struct Id {
  rdma_cm_id pub{};
  IdState state = IdState::Idle;
  bool sync = false;  // was created without a channel: calls complete before they return
  int unacked = 0;    // events delivered and not acknowledged
  int backlog = 0;
  Id* peer = nullptr;  // the other end of the connection
  bool ghost = false;  // without another end: a script made the request
  std::unique_ptr<ibv_sa_path_rec> path;
};

// One result of getaddrinfo. A chain is a list of them; the caller holds the address of its head.
struct AddrInfo {
  rdma_addrinfo pub{};
  std::unique_ptr<sockaddr_storage> src, dst;
  std::unique_ptr<AddrInfo> next;
};

struct World {
  explicit World(Complain report) : complain(report), device(std::move(report)) {}

  std::mutex mutex;  // guards all of this
  Complain complain;
  Device device;
  ibv_context* context = nullptr;  // librdmacm's own, opened on first use
  ibv_pd* pd = nullptr;            // its default protection domain
  PortSpace ports;
  Registry<Channel> channels;
  Registry<Id> ids;
  Registry<Event> events;
  Registry<AddrInfo> addrinfos;  // heads
};

}  // namespace rdmamock
