// SPDX-License-Identifier: BSD-3-Clause
//
// The toy librdmacm. Its allocations go through the shim, as the real one's do.
#include "toy_rdmacm.h"

#include <rdma/rdma_cma.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string_view>

#define TOY_EXPORT extern "C" [[gnu::visibility("default")]]

namespace {

struct Counter {
  std::string_view name;
  std::atomic<int> count = 0;
};

std::array<Counter, 8> counters = {{{"rdma_create_event_channel"},
                                    {"rdma_create_id"},
                                    {"rdma_getaddrinfo"},
                                    {"rdma_bind_addr"},
                                    {"rdma_listen"},
                                    {"rdma_destroy_id"},
                                    {"rdma_destroy_event_channel"},
                                    {"rdma_freeaddrinfo"}}};

Counter* find(std::string_view name) {
  for (Counter& counter : counters) {
    if (counter.name == name) return &counter;
  }
  return nullptr;
}

}  // namespace

extern "C" {
[[gnu::visibility("default")]] sem_t toy_entered;
[[gnu::visibility("default")]] sem_t toy_release;
}

TOY_EXPORT int toy_count(const char* function) {
  const Counter* counter = find(function);
  return counter != nullptr ? counter->count.load() : -1;
}

TOY_EXPORT rdma_event_channel* rdma_create_event_channel() {
  ++find(__func__)->count;
  return static_cast<rdma_event_channel*>(std::calloc(1, sizeof(rdma_event_channel)));
}

TOY_EXPORT int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context,
                              rdma_port_space ps) {
  ++find(__func__)->count;
  auto* made = static_cast<rdma_cm_id*>(std::calloc(1, sizeof(rdma_cm_id)));
  if (made == nullptr) return -1;
  made->channel = channel;
  made->context = context;
  made->ps = ps;
  *id = made;
  return 0;
}

TOY_EXPORT int rdma_getaddrinfo(const char* /*node*/, const char* /*service*/, const rdma_addrinfo* /*hints*/,
                                rdma_addrinfo** res) {
  ++find(__func__)->count;
  *res = static_cast<rdma_addrinfo*>(std::calloc(1, sizeof(rdma_addrinfo)));
  return *res != nullptr ? 0 : -1;
}

TOY_EXPORT int rdma_bind_addr(rdma_cm_id* /*id*/, sockaddr* /*addr*/) {
  ++find(__func__)->count;
  return 0;
}

TOY_EXPORT int rdma_listen(rdma_cm_id* /*id*/, int backlog) {
  ++find(__func__)->count;
  if (backlog == kToyBlocks) {
    sem_post(&toy_entered);
    while (sem_wait(&toy_release) != 0) {
    }
  }
  if (backlog != kToyFails) return 0;
  errno = EADDRINUSE;
  return -1;
}

TOY_EXPORT int rdma_destroy_id(rdma_cm_id* id) {
  ++find(__func__)->count;
  std::free(id);
  return 0;
}

TOY_EXPORT void rdma_destroy_event_channel(rdma_event_channel* channel) {
  ++find(__func__)->count;
  std::free(channel);
}

TOY_EXPORT void rdma_freeaddrinfo(rdma_addrinfo* res) {
  ++find(__func__)->count;
  std::free(res);
}
