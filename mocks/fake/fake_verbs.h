// SPDX-License-Identifier: BSD-3-Clause
// The libibverbs face of the fake: the device's operations under the world's mutex.
#pragma once

#include "mocks/fake/world.h"
#include "mocks/provider.h"

namespace rdmamock {

class FakeVerbs : public Verbs {
 public:
  explicit FakeVerbs(World& world) : world_(world) {}

  ibv_device** get_device_list(int* count) override;
  void free_device_list(ibv_device** list) override;
  const char* get_device_name(ibv_device* device) override;
  ibv_context* open_device(ibv_device* device) override;
  int close_device(ibv_context* context) override;
  int query_device(ibv_context* context, ibv_device_attr* attr) override;

  ibv_pd* alloc_pd(ibv_context* context) override;
  int dealloc_pd(ibv_pd* pd) override;
  ibv_mr* reg_mr(ibv_pd* pd, void* addr, size_t length, unsigned access) override;
  int dereg_mr(ibv_mr* mr) override;

  ibv_comp_channel* create_comp_channel(ibv_context* context) override;
  int destroy_comp_channel(ibv_comp_channel* channel) override;
  ibv_cq* create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                    int comp_vector) override;
  int destroy_cq(ibv_cq* cq) override;
  int get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) override;
  void ack_cq_events(ibv_cq* cq, unsigned count) override;

  ibv_srq* create_srq(ibv_pd* pd, ibv_srq_init_attr* attr) override;
  int destroy_srq(ibv_srq* srq) override;

 private:
  std::lock_guard<std::mutex> lock() { return std::lock_guard<std::mutex>(world_.mutex); }

  World& world_;
  std::map<ibv_device**, std::unique_ptr<std::array<ibv_device*, 2>>> lists_;
};

}  // namespace rdmamock
