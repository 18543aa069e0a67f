// SPDX-License-Identifier: BSD-3-Clause
// The fake's objects of libibverbs: one device, its contexts and their objects. Not locked: FakeVerbs and
// FakeRdmacm use it under the world's mutex.
#pragma once

#include <string>

#include "mocks/fake/complaints.h"
#include "mocks/fake/registry.h"
#include "mocks/provider.h"

namespace rdmamock {

struct Context {
  ibv_context pub{};
  bool internal = false;  // librdmacm's own, never closed
};
struct Pd {
  ibv_pd pub{};
  bool internal = false;  // librdmacm's default domain
  int users = 0;
};
struct Mr {
  ibv_mr pub{};
};
struct CompChannel {
  ibv_comp_channel pub{};
  int users = 0;
};
struct Cq {
  ibv_cq pub{};
  int users = 0;
};
struct Srq {
  ibv_srq pub{};
  int users = 0;
};
struct Qp {
  ibv_qp pub{};
};

class Device {
 public:
  explicit Device(Complain complain);

  ibv_device* device() { return &device_; }
  ibv_context* open(bool internal);
  int close(ibv_context* context);
  int query(ibv_context* context, ibv_device_attr* attr);

  ibv_pd* alloc_pd(ibv_context* context, bool internal);
  int dealloc_pd(ibv_pd* pd);
  ibv_mr* reg_mr(ibv_pd* pd, void* addr, size_t length);
  int dereg_mr(ibv_mr* mr);

  ibv_comp_channel* create_comp_channel(ibv_context* context);
  int destroy_comp_channel(ibv_comp_channel* channel);
  ibv_cq* create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                    int comp_vector);
  int destroy_cq(ibv_cq* cq);
  bool knows(const ibv_comp_channel* channel) { return channels_.find(channel) != nullptr; }
  void ack_cq_events(ibv_cq* cq, unsigned count);

  ibv_srq* create_srq(ibv_pd* pd, ibv_srq_init_attr* attr);
  int destroy_srq(ibv_srq* srq);

  ibv_qp* create_qp(const ibv_qp_init_attr_ex& attr);
  void destroy_qp(ibv_qp* qp);

  std::uint32_t contexts() const;
  std::uint32_t pds() const;
  std::uint32_t mrs() const { return mrs_.count(); }
  std::uint32_t cqs() const { return cqs_.count(); }
  std::uint32_t qps() const { return qps_.count(); }

 private:
  // The live object of a handle; nullptr (after a complaint) if there is none.
  template <typename T>
  T* known(Registry<T>& registry, const typename Registry<T>::Handle* handle, const char* call);

  Complain complain_;
  ibv_device device_{};
  Registry<Context> contexts_;
  Registry<Pd> pds_;
  Registry<Mr> mrs_;
  Registry<CompChannel> channels_;
  Registry<Cq> cqs_;
  Registry<Srq> srqs_;
  Registry<Qp> qps_;
  std::uint32_t next_key_ = 1;
  std::uint32_t next_qp_num_ = 17;  // the first number of rxe
};

}  // namespace rdmamock
