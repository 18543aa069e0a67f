// SPDX-License-Identifier: BSD-3-Clause
// The libibverbs side of the fake; see fake_verbs.h.
#include "mocks/fake/fake_verbs.h"

#include <unistd.h>

#include <cerrno>

namespace rdmamock {

ibv_device** FakeVerbs::get_device_list(int* count) {
  const auto guard = lock();
  auto list = std::make_unique<std::array<ibv_device*, 2>>();
  (*list)[0] = world_.device.device();
  ibv_device** result = list->data();
  lists_.emplace(result, std::move(list));
  if (count != nullptr) *count = 1;
  return result;
}

void FakeVerbs::free_device_list(ibv_device** list) {
  const auto guard = lock();
  if (lists_.erase(list) == 0) world_.complain("ibv_free_device_list: the list is not one of the provider's");
}

const char* FakeVerbs::get_device_name(ibv_device* device) {
  const auto guard = lock();
  if (device == world_.device.device()) return device->name;
  world_.complain("ibv_get_device_name: the device is not one of the provider's");
  return nullptr;
}

ibv_context* FakeVerbs::open_device(ibv_device* device) {
  const auto guard = lock();
  if (device == world_.device.device()) return world_.device.open(false);
  world_.complain("ibv_open_device: the device is not one of the provider's");
  errno = EINVAL;
  return nullptr;
}

int FakeVerbs::close_device(ibv_context* context) {
  const auto guard = lock();
  return world_.device.close(context);
}

int FakeVerbs::query_device(ibv_context* context, ibv_device_attr* attr) {
  const auto guard = lock();
  return world_.device.query(context, attr);
}

ibv_pd* FakeVerbs::alloc_pd(ibv_context* context) {
  const auto guard = lock();
  return world_.device.alloc_pd(context, false);
}

int FakeVerbs::dealloc_pd(ibv_pd* pd) {
  const auto guard = lock();
  if (pd == world_.pd) {
    world_.complain("ibv_dealloc_pd: the protection domain belongs to librdmacm");
    return EINVAL;
  }
  return world_.device.dealloc_pd(pd);
}

ibv_mr* FakeVerbs::reg_mr(ibv_pd* pd, void* addr, size_t length, unsigned /*access*/) {
  const auto guard = lock();
  return world_.device.reg_mr(pd, addr, length);
}

int FakeVerbs::dereg_mr(ibv_mr* mr) {
  const auto guard = lock();
  return world_.device.dereg_mr(mr);
}

ibv_comp_channel* FakeVerbs::create_comp_channel(ibv_context* context) {
  const auto guard = lock();
  return world_.device.create_comp_channel(context);
}

int FakeVerbs::destroy_comp_channel(ibv_comp_channel* channel) {
  const auto guard = lock();
  return world_.device.destroy_comp_channel(channel);
}

ibv_cq* FakeVerbs::create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                             int comp_vector) {
  const auto guard = lock();
  return world_.device.create_cq(context, cqe, cq_context, channel, comp_vector);
}

int FakeVerbs::destroy_cq(ibv_cq* cq) {
  const auto guard = lock();
  return world_.device.destroy_cq(cq);
}

// There are no completions: a blocking descriptor blocks forever.
int FakeVerbs::get_cq_event(ibv_comp_channel* channel, ibv_cq** /*cq*/, void** /*cq_context*/) {
  int fd = -1;
  {
    const auto guard = lock();
    if (!world_.device.knows(channel)) {
      world_.complain("ibv_get_cq_event: the channel is not one of the provider's");
      errno = EINVAL;
      return -1;
    }
    fd = channel->fd;
  }
  std::uint64_t token = 0;
  if (read(fd, &token, sizeof token) == sizeof token) errno = EIO;
  return -1;
}

void FakeVerbs::ack_cq_events(ibv_cq* cq, unsigned count) {
  const auto guard = lock();
  world_.device.ack_cq_events(cq, count);
}

ibv_srq* FakeVerbs::create_srq(ibv_pd* pd, ibv_srq_init_attr* attr) {
  const auto guard = lock();
  return world_.device.create_srq(pd, attr);
}

int FakeVerbs::destroy_srq(ibv_srq* srq) {
  const auto guard = lock();
  return world_.device.destroy_srq(srq);
}

}  // namespace rdmamock
