// SPDX-License-Identifier: BSD-3-Clause
// Event channels and cm ids of the fake: create, migrate, destroy.
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "mocks/fake/fake_rdmacm.h"

namespace rdmamock {

int fail(int error) {
  errno = error;
  return -1;
}

void FakeRdmacm::complain(const char* call, const std::string& what) const {
  world_.complain(std::string(call) + ": " + what);
}

Id* FakeRdmacm::known(const rdma_cm_id* id, const char* call) {
  Id* found = world_.ids.find(id);
  if (found == nullptr)
    complain(call, world_.ids.was_released(id) ? "the cm id was destroyed before"
                                               : "the cm id is not one of the provider's");
  return found;
}

Channel* FakeRdmacm::known(const rdma_event_channel* channel, const char* call) {
  Channel* found = world_.channels.find(channel);
  if (found == nullptr)
    complain(call, world_.channels.was_released(channel) ? "the event channel was destroyed before"
                                                         : "the event channel is not one of the provider's");
  return found;
}

Channel* FakeRdmacm::make_channel(bool internal) {
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);  // the value is the number of queued events
  if (fd < 0) return nullptr;
  Channel& channel = world_.channels.make();
  channel.internal = internal;
  channel.pub.fd = fd;
  return &channel;
}

void FakeRdmacm::close_channel(Channel& channel) {
  close(channel.pub.fd);
  world_.channels.release(channel);
}

rdma_event_channel* FakeRdmacm::create_event_channel() {
  const Lock guard = lock();
  Channel* channel = make_channel(false);
  return channel == nullptr ? nullptr : &channel->pub;
}

void FakeRdmacm::destroy_event_channel(rdma_event_channel* channel) {
  const Lock guard = lock();
  Channel* found = known(channel, "rdma_destroy_event_channel");
  if (found == nullptr) return;
  const std::uint32_t ids = world_.ids.count([channel](const Id& id) { return id.pub.channel == channel; });
  if (ids != 0)
    complain("rdma_destroy_event_channel", std::to_string(ids) + " cm id(s) are still on the event channel");
  while (!found->queue.empty()) {
    Event& event = *found->queue.front();
    found->queue.pop_front();
    world_.events.release(event);
  }
  close_channel(*found);
}

// Give an id without a channel an internal one.
bool FakeRdmacm::attach(Id& id) {
  Channel* channel = make_channel(true);
  if (channel == nullptr) return false;
  id.pub.channel = &channel->pub;
  id.sync = true;
  return true;
}

// An id whose channel is gone can do nothing any more: each call would write to a closed descriptor.
bool FakeRdmacm::has_channel(Id& id, const char* call) {
  if (world_.channels.find(id.pub.channel) != nullptr) return true;
  complain(call, "the cm id's event channel was destroyed before the cm id");
  return false;
}

int FakeRdmacm::create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space ps) {
  const Lock guard = lock();
  if (channel != nullptr && known(channel, "rdma_create_id") == nullptr) return fail(EBADF);
  Id& made = world_.ids.make();
  made.pub.context = context;
  made.pub.ps = ps;
  made.pub.qp_type = ps == RDMA_PS_UDP || ps == RDMA_PS_IPOIB ? IBV_QPT_UD : IBV_QPT_RC;
  made.pub.channel = channel;
  if (channel == nullptr && !attach(made)) {
    world_.ids.release(made);
    return -1;
  }
  *id = &made.pub;
  return 0;
}

// Remove the queued events of an id. A request that was not delivered is rejected.
void FakeRdmacm::drop_queued(Id& id) {
  Channel& channel = channel_of(id);
  const std::deque<Event*> queued = channel.queue;
  for (Event* event : queued) {
    if (event->owner != &id) continue;
    Id* client = event->client;
    unqueue(channel, *event);
    world_.events.release(*event);
    if (client != nullptr) refuse(*client, kConsumerDefined, {});
  }
}

int FakeRdmacm::destroy_id(rdma_cm_id* id) {
  const Lock guard = lock();
  Id* found = known(id, "rdma_destroy_id");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_destroy_id")) return fail(EBADF);
  if (id->qp != nullptr) complain("rdma_destroy_id", "the cm id still has its queue pair");
  if (id->event != nullptr) acknowledge(*world_.events.find(id->event));
  drop_queued(*found);
  if (found->unacked != 0) {
    complain("rdma_destroy_id",
             std::to_string(found->unacked) + " event(s) of the cm id are not acknowledged: it would block");
    world_.events.each([found](Event& event) {
      if (event.owner == found) event.owner = nullptr;
    });
  }
  tell_peer_of_end(*found);
  world_.ports.release(found);
  if (found->sync) close_channel(channel_of(*found));
  world_.ids.release(*found);
  return 0;
}

int FakeRdmacm::migrate_id(rdma_cm_id* id, rdma_event_channel* channel) {
  const Lock guard = lock();
  Id* found = known(id, "rdma_migrate_id");
  if (found == nullptr) return fail(EINVAL);
  if (!has_channel(*found, "rdma_migrate_id")) return fail(EBADF);
  if (found->sync && channel == nullptr) return fail(EINVAL);
  if (channel != nullptr && known(channel, "rdma_migrate_id") == nullptr) return fail(EBADF);
  Channel& from = channel_of(*found);
  const bool was_sync = found->sync;
  if (channel == nullptr) {
    if (!attach(*found)) return -1;
  } else {
    found->pub.channel = channel;
    found->sync = false;
  }
  if (was_sync && id->event != nullptr) acknowledge(*world_.events.find(id->event));
  if (found->unacked != 0)
    complain("rdma_migrate_id",
             std::to_string(found->unacked) + " event(s) of the cm id are not acknowledged: it would block");
  const std::deque<Event*> queued = from.queue;
  for (Event* event : queued) {
    if (event->owner != found) continue;
    unqueue(from, *event);
    Channel& to = channel_of(*found);
    to.queue.push_back(event);
    eventfd_write(to.pub.fd, 1);
  }
  if (was_sync) close_channel(from);
  return 0;
}

void FakeRdmacm::recycle_ids(bool on) {
  const Lock guard = lock();
  if (on && !world_.ids.has_released())
    world_.ids.release(world_.ids.make());  // otherwise there is no id to reuse
  world_.ids.set_recycling(on);
}

}  // namespace rdmamock
