// SPDX-License-Identifier: BSD-3-Clause
// The exported functions of librdmacm: each goes to the running script, or to the fake.
#include "mocks/enter.h"
#include "mocks/fake/fake_rdmacm.h"
#include "mocks/library.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

using rdmamock::cm;
using rdmamock::enter;

}  // namespace

EXPORT rdma_event_channel* rdma_create_event_channel() {
  return enter(static_cast<rdma_event_channel*>(nullptr), [=] { return cm()->create_event_channel(); });
}

EXPORT void rdma_destroy_event_channel(rdma_event_channel* channel) {
  enter([=] { cm()->destroy_event_channel(channel); });
}

EXPORT int rdma_create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space ps) {
  return enter(-1, [=] { return cm()->create_id(channel, id, context, ps); });
}

EXPORT int rdma_destroy_id(rdma_cm_id* id) {
  return enter(-1, [=] { return cm()->destroy_id(id); });
}

EXPORT int rdma_migrate_id(rdma_cm_id* id, rdma_event_channel* channel) {
  return enter(-1, [=] { return cm()->migrate_id(id, channel); });
}

EXPORT int rdma_getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints,
                            rdma_addrinfo** res) {
  return enter(-1, [=] { return cm()->getaddrinfo(node, service, hints, res); });
}

EXPORT void rdma_freeaddrinfo(rdma_addrinfo* res) {
  enter([=] { cm()->freeaddrinfo(res); });
}

EXPORT int rdma_bind_addr(rdma_cm_id* id, sockaddr* addr) {
  return enter(-1, [=] { return cm()->bind_addr(id, addr); });
}

EXPORT int rdma_listen(rdma_cm_id* id, int backlog) {
  return enter(-1, [=] { return cm()->listen(id, backlog); });
}

EXPORT int rdma_resolve_addr(rdma_cm_id* id, sockaddr* src, sockaddr* dst, int timeout_ms) {
  return enter(-1, [=] { return cm()->resolve_addr(id, src, dst, timeout_ms); });
}

EXPORT int rdma_resolve_route(rdma_cm_id* id, int timeout_ms) {
  return enter(-1, [=] { return cm()->resolve_route(id, timeout_ms); });
}

EXPORT std::uint16_t rdma_get_src_port(rdma_cm_id* id) {
  return enter(std::uint16_t{0}, [=] { return cm()->get_src_port(id); });
}

EXPORT std::uint16_t rdma_get_dst_port(rdma_cm_id* id) {
  return enter(std::uint16_t{0}, [=] { return cm()->get_dst_port(id); });
}

EXPORT int rdma_create_qp(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* attr) {
  return enter(-1, [=] { return cm()->create_qp(id, pd, attr); });
}

EXPORT int rdma_create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* attr) {
  return enter(-1, [=] { return cm()->create_qp_ex(id, attr); });
}

EXPORT void rdma_destroy_qp(rdma_cm_id* id) {
  enter([=] { cm()->destroy_qp(id); });
}

EXPORT int rdma_connect(rdma_cm_id* id, rdma_conn_param* param) {
  return enter(-1, [=] { return cm()->connect(id, param); });
}

EXPORT int rdma_accept(rdma_cm_id* id, rdma_conn_param* param) {
  return enter(-1, [=] { return cm()->accept(id, param); });
}

EXPORT int rdma_reject(rdma_cm_id* id, const void* private_data, std::uint8_t private_data_len) {
  return enter(-1, [=] { return cm()->reject(id, private_data, private_data_len); });
}

EXPORT int rdma_establish(rdma_cm_id* id) {
  return enter(-1, [=] { return cm()->establish(id); });
}

EXPORT int rdma_disconnect(rdma_cm_id* id) {
  return enter(-1, [=] { return cm()->disconnect(id); });
}

EXPORT int rdma_get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) {
  return enter(-1, [=] { return cm()->get_cm_event(channel, event); });
}

EXPORT int rdma_ack_cm_event(rdma_cm_event* event) {
  return enter(-1, [=] { return cm()->ack_cm_event(event); });
}

EXPORT const char* rdma_event_str(rdma_cm_event_type event) {
  return rdmamock::FakeRdmacm::event_str(event);
}
