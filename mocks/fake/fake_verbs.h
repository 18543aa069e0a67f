// SPDX-License-Identifier: BSD-3-Clause
// The libibverbs side of the fake: the device's operations under the world's mutex.
#pragma once

#include "mocks/fake/world.h"
#include "mocks/provider.h"

namespace rdmamock {

class FakeVerbs {
 public:
  explicit FakeVerbs(World& world) : world_(world) {}

  // Each of these is the C function ibv_NAME, with its arguments, result and errno.

  ibv_device** get_device_list(int* count);
  void free_device_list(ibv_device** list);
  const char* get_device_name(ibv_device* device);
  ibv_context* open_device(ibv_device* device);
  int close_device(ibv_context* context);
  int query_device(ibv_context* context, ibv_device_attr* attr);

  ibv_pd* alloc_pd(ibv_context* context);
  int dealloc_pd(ibv_pd* pd);
  ibv_mr* reg_mr(ibv_pd* pd, void* addr, size_t length, unsigned access);
  int dereg_mr(ibv_mr* mr);

  ibv_comp_channel* create_comp_channel(ibv_context* context);
  int destroy_comp_channel(ibv_comp_channel* channel);
  ibv_cq* create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                    int comp_vector);
  int destroy_cq(ibv_cq* cq);
  int get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context);
  void ack_cq_events(ibv_cq* cq, unsigned count);

  ibv_srq* create_srq(ibv_pd* pd, ibv_srq_init_attr* attr);
  int destroy_srq(ibv_srq* srq);

 private:
  std::lock_guard<std::mutex> lock() { return std::lock_guard<std::mutex>(world_.mutex); }

  World& world_;
  std::map<ibv_device**, std::unique_ptr<std::array<ibv_device*, 2>>> lists_;
};

}  // namespace rdmamock
