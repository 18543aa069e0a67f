// SPDX-License-Identifier: BSD-3-Clause
// Connections of the fake: request, accept, reject, disconnect. Private data arrives padded to the size of
// the message, as on InfiniBand and RoCE.
#include <cerrno>

#include "mocks/fake/addresses.h"
#include "mocks/fake/fake_rdmacm.h"

namespace rdmamock {
namespace {

// Bytes of private data: IB_CM_*_PRIVATE_DATA_SIZE; for a request, minus the header of rdma_cm.
constexpr std::size_t kRequestData = 56;
constexpr std::size_t kAnswerData = 196;
constexpr std::size_t kRefusalData = 148;

// The reason of a rejection if there is no listener.
constexpr int kInvalidServiceId = 8;

constexpr std::uint8_t kMaxReadDepth = 128;  // the device's max_qp_rd_atom and max_qp_init_rd_atom

bool valid_depths(const rdma_conn_param* param) {
  return param == nullptr ||
         ((param->responder_resources == RDMA_MAX_RESP_RES || param->responder_resources <= kMaxReadDepth) &&
          (param->initiator_depth == RDMA_MAX_INIT_DEPTH || param->initiator_depth <= kMaxReadDepth));
}

}  // namespace

bool FakeRdmacm::valid_data(const rdma_conn_param* param, std::size_t limit) {
  return param == nullptr || param->private_data == nullptr || param->private_data_len <= limit;
}

Id* FakeRdmacm::find_listener(const sockaddr_storage& addr) {
  Id* result = nullptr;
  world_.ids.each([&](Id& id) {
    if (id.state != IdState::Listening) return;
    const sockaddr_storage& bound = id.pub.route.addr.src_storage;
    if (port_of(bound) != port_of(addr)) return;
    const bool exact = same_host(bound, addr);
    const bool any = is_wildcard(bound) && (bound.ss_family == addr.ss_family || bound.ss_family == AF_INET6);
    if (exact || (any && result == nullptr)) result = &id;
  });
  return result;
}

void FakeRdmacm::queue_request(Id& listener, Id* client, Data data, const rdma_conn_param* param) {
  Event& event = queue(listener, RDMA_CM_EVENT_CONNECT_REQUEST, 0);
  event.client = client;
  set_private_data(event, data, kRequestData);
  rdma_conn_param& conn = event.pub.param.conn;
  conn.responder_resources = conn.initiator_depth = kMaxReadDepth;
  conn.retry_count = param == nullptr ? std::uint8_t{7} : param->retry_count;
  conn.rnr_retry_count = param == nullptr ? std::uint8_t{7} : param->rnr_retry_count;
  if (client != nullptr && client->pub.qp != nullptr)
    conn.qp_num = client->pub.qp->qp_num;
  else if (param != nullptr)
    conn.qp_num = param->qp_num;
}

void FakeRdmacm::refuse(Id& client, int status, Data data) {
  client.state = IdState::Failed;
  client.peer = nullptr;
  set_private_data(queue(client, RDMA_CM_EVENT_REJECTED, status), data, kRefusalData);
}

int FakeRdmacm::connect(rdma_cm_id* id, rdma_conn_param* param) {
  Lock guard = lock();
  Id* found = known(id, "rdma_connect");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_connect")) return fail(EBADF);
  if (found->state != IdState::RouteResolved || (id->qp == nullptr && param == nullptr)) return fail(EINVAL);
  if (!valid_depths(param) || !valid_data(param, kRequestData)) return fail(EINVAL);
  found->state = IdState::Connecting;
  Id* listener = find_listener(id->route.addr.dst_storage);
  const auto waiting = [listener](const Event& event) {
    return event.owner == listener && event.pub.event == RDMA_CM_EVENT_CONNECT_REQUEST &&
           event.pub.id == nullptr;
  };
  if (listener == nullptr)
    refuse(*found, kInvalidServiceId, {});
  else if (world_.events.count(waiting) >= static_cast<std::uint32_t>(listener->backlog))
    refuse(*found, kConsumerDefined, {});
  else if (param != nullptr && param->private_data != nullptr)
    queue_request(*listener, found, {param->private_data, param->private_data_len}, param);
  else
    queue_request(*listener, found, {}, param);
  return complete(guard, *found);
}

int FakeRdmacm::accept(rdma_cm_id* id, rdma_conn_param* param) {
  Lock guard = lock();
  Id* found = known(id, "rdma_accept");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_accept")) return fail(EBADF);
  if (found->state != IdState::Requested || (id->qp == nullptr && param == nullptr)) return fail(EINVAL);
  if (!valid_depths(param) || !valid_data(param, kAnswerData)) return fail(EINVAL);
  found->state = IdState::Accepted;
  if (found->ghost) {  // there is no client to answer, so the connection is complete
    found->state = IdState::Connected;
    queue(*found, RDMA_CM_EVENT_ESTABLISHED, 0);
    return complete(guard, *found);
  }
  Id& client = *found->peer;
  client.state = IdState::Answered;
  Event& event = queue(client, RDMA_CM_EVENT_CONNECT_RESPONSE, 0);
  const bool has_data = param != nullptr && param->private_data != nullptr;
  set_private_data(event, has_data ? Data{param->private_data, param->private_data_len} : Data{},
                   kAnswerData);
  event.pub.param.conn.qp_num = id->qp != nullptr ? id->qp->qp_num : param->qp_num;
  return complete(guard, *found);
}

int FakeRdmacm::reject(rdma_cm_id* id, const void* data, std::uint8_t size) {
  const Lock guard = lock();
  Id* found = known(id, "rdma_reject");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_reject")) return fail(EBADF);
  if (found->state != IdState::Requested || size > kRefusalData) return fail(EINVAL);
  found->state = IdState::Failed;
  if (found->peer != nullptr)
    refuse(*found->peer, kConsumerDefined, data == nullptr ? Data{} : Data{data, size});
  found->peer = nullptr;
  return 0;
}

int FakeRdmacm::establish(rdma_cm_id* id) {
  const Lock guard = lock();
  Id* found = known(id, "rdma_establish");
  if (found == nullptr) return fail(EINVAL);
  if (id->qp != nullptr || found->state != IdState::Answered) return fail(EINVAL);
  found->state = IdState::Connected;
  found->peer->state = IdState::Connected;
  queue(*found->peer, RDMA_CM_EVENT_ESTABLISHED, 0);
  return 0;
}

int FakeRdmacm::disconnect(rdma_cm_id* id) {
  Lock guard = lock();
  Id* found = known(id, "rdma_disconnect");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_disconnect")) return fail(EBADF);
  if (id->verbs == nullptr) return fail(EINVAL);
  if (found->state != IdState::Connected && found->state != IdState::Accepted &&
      found->state != IdState::Answered)
    return 0;  // for the kernel it answers the other end's disconnect
  if (found->peer != nullptr) {
    Id& peer = *found->peer;
    peer.peer = nullptr;
    peer.state = IdState::Disconnected;
    queue(peer, RDMA_CM_EVENT_DISCONNECTED, 0);
  }
  found->peer = nullptr;
  found->state = IdState::Disconnected;
  queue(*found, RDMA_CM_EVENT_DISCONNECTED, 0);
  return complete(guard, *found);
}

// What the other end gets when an id is destroyed.
void FakeRdmacm::tell_peer_of_end(Id& id) {
  world_.events.each([&id](Event& event) {
    if (event.client == &id) event.client = nullptr;
  });
  if (id.peer == nullptr) return;
  Id& peer = *id.peer;
  peer.peer = nullptr;
  switch (id.state) {
    case IdState::Requested:
      refuse(peer, kConsumerDefined, {});
      break;
    case IdState::Connecting:
      peer.state = IdState::Failed;
      queue(peer, RDMA_CM_EVENT_REJECTED, kConsumerDefined);
      break;
    default:
      peer.state = IdState::Disconnected;
      queue(peer, RDMA_CM_EVENT_DISCONNECTED, 0);
      break;
  }
}

void FakeRdmacm::inject_request(rdma_cm_id* listener, const std::string& data) {
  const Lock guard = lock();
  Id* found = known(listener, "a script's request");
  if (found != nullptr) queue_request(*found, nullptr, {data.data(), data.size()}, nullptr);
}

void FakeRdmacm::inject_event(rdma_cm_id* id, rdma_cm_event_type type, int status) {
  const Lock guard = lock();
  Id* found = known(id, "a script's event");
  if (found != nullptr) queue(*found, type, status);
}

std::uint32_t FakeRdmacm::swallowed_requests() {
  const Lock guard = lock();
  return world_.ids.count([this](const Id& id) {
    return id.state == IdState::Requested && world_.events.count([&id](const Event& event) {
      return event.pub.id == &id.pub && event.pub.event == RDMA_CM_EVENT_CONNECT_REQUEST;
    }) == 0;
  });
}

}  // namespace rdmamock
