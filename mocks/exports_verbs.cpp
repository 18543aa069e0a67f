// SPDX-License-Identifier: BSD-3-Clause
// The exported functions of libibverbs: each goes to the fake.
#include "mocks/enter.h"
#include "mocks/library.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using rdmamock::enter;
using rdmamock::verbs;

}  // namespace

EXPORT ibv_device** ibv_get_device_list(int* num_devices) {
  return enter(static_cast<ibv_device**>(nullptr), [=] { return verbs().get_device_list(num_devices); });
}

EXPORT void ibv_free_device_list(ibv_device** list) {
  enter([=] { verbs().free_device_list(list); });
}

EXPORT const char* ibv_get_device_name(ibv_device* device) {
  return enter(static_cast<const char*>(nullptr), [=] { return verbs().get_device_name(device); });
}

EXPORT ibv_context* ibv_open_device(ibv_device* device) {
  return enter(static_cast<ibv_context*>(nullptr), [=] { return verbs().open_device(device); });
}

EXPORT int ibv_close_device(ibv_context* context) {
  return enter(EIO, [=] { return verbs().close_device(context); });
}

EXPORT int ibv_query_device(ibv_context* context, ibv_device_attr* attr) {
  return enter(EIO, [=] { return verbs().query_device(context, attr); });
}

EXPORT ibv_pd* ibv_alloc_pd(ibv_context* context) {
  return enter(static_cast<ibv_pd*>(nullptr), [=] { return verbs().alloc_pd(context); });
}

EXPORT int ibv_dealloc_pd(ibv_pd* pd) {
  return enter(EIO, [=] { return verbs().dealloc_pd(pd); });
}

EXPORT int ibv_dereg_mr(ibv_mr* mr) {
  return enter(EIO, [=] { return verbs().dereg_mr(mr); });
}

EXPORT ibv_comp_channel* ibv_create_comp_channel(ibv_context* context) {
  return enter(static_cast<ibv_comp_channel*>(nullptr), [=] { return verbs().create_comp_channel(context); });
}

EXPORT int ibv_destroy_comp_channel(ibv_comp_channel* channel) {
  return enter(EIO, [=] { return verbs().destroy_comp_channel(channel); });
}

EXPORT ibv_cq* ibv_create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                             int comp_vector) {
  return enter(static_cast<ibv_cq*>(nullptr),
               [=] { return verbs().create_cq(context, cqe, cq_context, channel, comp_vector); });
}

EXPORT int ibv_destroy_cq(ibv_cq* cq) {
  return enter(EIO, [=] { return verbs().destroy_cq(cq); });
}

EXPORT int ibv_get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) {
  return enter(-1, [=] { return verbs().get_cq_event(channel, cq, cq_context); });
}

EXPORT void ibv_ack_cq_events(ibv_cq* cq, unsigned nevents) {
  enter([=] { verbs().ack_cq_events(cq, nevents); });
}

EXPORT ibv_srq* ibv_create_srq(ibv_pd* pd, ibv_srq_init_attr* attr) {
  return enter(static_cast<ibv_srq*>(nullptr), [=] { return verbs().create_srq(pd, attr); });
}

EXPORT int ibv_destroy_srq(ibv_srq* srq) {
  return enter(EIO, [=] { return verbs().destroy_srq(srq); });
}

// Both spellings of a registration: which one a program calls depends on the header it was compiled with.
EXPORT ibv_mr* ibv_reg_mr(ibv_pd* pd, void* addr, size_t length, int access) {
  return enter(static_cast<ibv_mr*>(nullptr),
               [=] { return verbs().reg_mr(pd, addr, length, static_cast<unsigned>(access)); });
}

EXPORT ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* addr, size_t length, std::uint64_t /*iova*/,
                                unsigned access) {
  return enter(static_cast<ibv_mr*>(nullptr), [=] { return verbs().reg_mr(pd, addr, length, access); });
}
