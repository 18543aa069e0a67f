// SPDX-License-Identifier: BSD-3-Clause
// Events of the fake: queue, wait, deliver, acknowledge. A channel's descriptor is readable exactly while
// events are queued; a call waits unless the descriptor has O_NONBLOCK, as in librdmacm.
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "mocks/fake/addresses.h"
#include "mocks/fake/fake_rdmacm.h"

namespace rdmamock {

Event& FakeRdmacm::queue(Id& id, rdma_cm_event_type type, int status) {
  Event& event = world_.events.make();
  event.owner = &id;
  event.pub.id = type == RDMA_CM_EVENT_CONNECT_REQUEST ? nullptr : &id.pub;
  event.pub.event = type;
  event.pub.status = status;
  Channel* channel = world_.channels.find(id.pub.channel);
  if (channel != nullptr) {  // otherwise it can never be read
    channel->queue.push_back(&event);
    eventfd_write(channel->pub.fd, 1);
  }
  return event;
}

void FakeRdmacm::set_private_data(Event& event, Data data, std::size_t padded) {
  if (data.first != nullptr)
    std::memcpy(event.data.data(), data.first, std::min({data.second, padded, event.data.size()}));
  event.pub.param.conn.private_data = event.data.data();
  event.pub.param.conn.private_data_len = static_cast<std::uint8_t>(padded);
}

void FakeRdmacm::unqueue(Channel& channel, Event& event) {
  channel.queue.erase(std::find(channel.queue.begin(), channel.queue.end(), &event));
  pollfd ready{channel.pub.fd, POLLIN, 0};
  eventfd_t token = 0;
  if (poll(&ready, 1, 0) == 1) eventfd_read(channel.pub.fd, &token);
}

// The next event of a channel. Waits without the lock, so that other threads can cause it.
int FakeRdmacm::next_event(Lock& guard, rdma_event_channel* channel, rdma_cm_event** event) {
  for (;;) {
    Channel* found = known(channel, "rdma_get_cm_event");
    if (found == nullptr) return fail(EBADF);
    while (!found->queue.empty()) {
      Event& next = *found->queue.front();
      unqueue(*found, next);
      rdma_cm_event* delivered = deliver(next);
      if (delivered == nullptr) continue;
      *event = delivered;
      return 0;
    }
    const int fd = channel->fd;
    if ((fcntl(fd, F_GETFL) & O_NONBLOCK) != 0) return fail(EAGAIN);
    guard.unlock();
    pollfd ready{fd, POLLIN, 0};
    const int result = poll(&ready, 1, -1);
    const int error = errno;
    guard.lock();
    if (result < 0) return fail(error);
  }
}

// What librdmacm does when it delivers an event. Returns null if it drops the event.
rdma_cm_event* FakeRdmacm::deliver(Event& event) {
  Id& id = *event.owner;
  switch (event.pub.event) {
    case RDMA_CM_EVENT_CONNECT_REQUEST:
      if (!deliver_request(event)) return nullptr;
      break;
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      use_device(id);
      break;
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
      id.path = std::make_unique<ibv_sa_path_rec>();
      id.pub.route.path_rec = id.path.get();
      id.pub.route.num_paths = 1;
      break;
    case RDMA_CM_EVENT_CONNECT_RESPONSE:
      // With a queue pair librdmacm confirms the connection; only then does the other end get its event.
      if (id.pub.qp != nullptr && id.state == IdState::Answered) {
        event.pub.event = RDMA_CM_EVENT_ESTABLISHED;
        id.state = IdState::Connected;
        id.peer->state = IdState::Connected;
        queue(*id.peer, RDMA_CM_EVENT_ESTABLISHED, 0);
      }
      break;
    default:
      break;
  }
  ++id.unacked;
  return &event.pub;
}

// A request gets an id on the listener's channel.
bool FakeRdmacm::deliver_request(Event& event) {
  Id& listener = *event.owner;
  Id& made = world_.ids.make();
  made.pub.context = listener.pub.context;
  made.pub.ps = listener.pub.ps;
  made.pub.qp_type = listener.pub.qp_type;
  made.pub.channel = listener.pub.channel;
  if (listener.sync && !attach(made)) {
    world_.ids.release(made);
    if (event.client != nullptr) refuse(*event.client, kConsumerDefined, {});
    world_.events.release(event);
    return false;
  }
  made.state = IdState::Requested;
  made.peer = event.client;
  made.ghost = event.client == nullptr;
  sockaddr_storage local = device_address(listener.pub.route.addr.src_storage.ss_family);
  sockaddr_storage remote = local;
  if (event.client != nullptr) {
    event.client->peer = &made;
    local = event.client->pub.route.addr.dst_storage;
    remote = event.client->pub.route.addr.src_storage;
  } else {
    set_port(local, port_of(listener.pub.route.addr.src_storage));
  }
  std::memcpy(&made.pub.route.addr.src_storage, &local, sizeof local);
  std::memcpy(&made.pub.route.addr.dst_storage, &remote, sizeof remote);
  use_device(made);
  event.client = nullptr;
  event.pub.id = &made.pub;
  event.pub.listen_id = &listener.pub;
  return true;
}

int FakeRdmacm::get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  Lock guard = lock();
  if (event == nullptr) return fail(EINVAL);
  return next_event(guard, channel, event);
}

void FakeRdmacm::acknowledge(Event& event) {
  if (event.owner != nullptr) {
    --event.owner->unacked;
    if (event.owner->pub.event == &event.pub) event.owner->pub.event = nullptr;
  }
  world_.events.release(event);
}

int FakeRdmacm::ack_cm_event(rdma_cm_event* event) {
  const Lock guard = lock();
  if (event == nullptr) return fail(EINVAL);
  Event* found = world_.events.find(event);
  if (found == nullptr) {
    complain("rdma_ack_cm_event", world_.events.was_released(event)
                                      ? "the event was acknowledged before"
                                      : "the event is not one of the provider's");
    return fail(EINVAL);
  }
  acknowledge(*found);
  return 0;
}

// A call for an id without a channel waits for its event and stores it in the id.
int FakeRdmacm::complete(Lock& guard, Id& id) {
  if (!id.sync) return 0;
  rdma_cm_id* handle = &id.pub;
  if (handle->event != nullptr) acknowledge(*world_.events.find(handle->event));
  rdma_cm_event* event = nullptr;
  if (next_event(guard, handle->channel, &event) != 0 || event == nullptr) return -1;
  handle->event = event;
  if (event->status == 0) return 0;
  if (event->event == RDMA_CM_EVENT_REJECTED) return fail(ECONNREFUSED);
  return fail(event->status < 0 ? -event->status : event->status);
}

const char* FakeRdmacm::event_str(rdma_cm_event_type event) {
  switch (event) {
    case RDMA_CM_EVENT_ADDR_RESOLVED:
      return "RDMA_CM_EVENT_ADDR_RESOLVED";
    case RDMA_CM_EVENT_ADDR_ERROR:
      return "RDMA_CM_EVENT_ADDR_ERROR";
    case RDMA_CM_EVENT_ROUTE_RESOLVED:
      return "RDMA_CM_EVENT_ROUTE_RESOLVED";
    case RDMA_CM_EVENT_ROUTE_ERROR:
      return "RDMA_CM_EVENT_ROUTE_ERROR";
    case RDMA_CM_EVENT_CONNECT_REQUEST:
      return "RDMA_CM_EVENT_CONNECT_REQUEST";
    case RDMA_CM_EVENT_CONNECT_RESPONSE:
      return "RDMA_CM_EVENT_CONNECT_RESPONSE";
    case RDMA_CM_EVENT_CONNECT_ERROR:
      return "RDMA_CM_EVENT_CONNECT_ERROR";
    case RDMA_CM_EVENT_UNREACHABLE:
      return "RDMA_CM_EVENT_UNREACHABLE";
    case RDMA_CM_EVENT_REJECTED:
      return "RDMA_CM_EVENT_REJECTED";
    case RDMA_CM_EVENT_ESTABLISHED:
      return "RDMA_CM_EVENT_ESTABLISHED";
    case RDMA_CM_EVENT_DISCONNECTED:
      return "RDMA_CM_EVENT_DISCONNECTED";
    case RDMA_CM_EVENT_DEVICE_REMOVAL:
      return "RDMA_CM_EVENT_DEVICE_REMOVAL";
    case RDMA_CM_EVENT_MULTICAST_JOIN:
      return "RDMA_CM_EVENT_MULTICAST_JOIN";
    case RDMA_CM_EVENT_MULTICAST_ERROR:
      return "RDMA_CM_EVENT_MULTICAST_ERROR";
    case RDMA_CM_EVENT_ADDR_CHANGE:
      return "RDMA_CM_EVENT_ADDR_CHANGE";
    case RDMA_CM_EVENT_TIMEWAIT_EXIT:
      return "RDMA_CM_EVENT_TIMEWAIT_EXIT";
  }
  return "UNKNOWN EVENT";
}

}  // namespace rdmamock
