// SPDX-License-Identifier: BSD-3-Clause
// The calls that a listener and its client make into librdmacm and libibverbs, as two interfaces. Each method
// is the C function of that name (rdma_NAME, ibv_NAME) with its arguments, result and errno.
#pragma once

#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>

#include <cstdint>

// verbs.h makes these macros; here the names are needed as they are.
#undef ibv_reg_mr
#undef ibv_query_port

namespace rdmamock {

class Rdmacm {
 public:
  Rdmacm() = default;
  Rdmacm(const Rdmacm&) = delete;
  Rdmacm& operator=(const Rdmacm&) = delete;
  virtual ~Rdmacm() = default;

  virtual rdma_event_channel* create_event_channel() = 0;
  virtual void destroy_event_channel(rdma_event_channel* channel) = 0;
  virtual int create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space ps) = 0;
  virtual int destroy_id(rdma_cm_id* id) = 0;
  virtual int migrate_id(rdma_cm_id* id, rdma_event_channel* channel) = 0;

  virtual int getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints,
                          rdma_addrinfo** res) = 0;
  virtual void freeaddrinfo(rdma_addrinfo* res) = 0;

  virtual int bind_addr(rdma_cm_id* id, sockaddr* addr) = 0;
  virtual int listen(rdma_cm_id* id, int backlog) = 0;
  virtual int resolve_addr(rdma_cm_id* id, sockaddr* src, sockaddr* dst, int timeout_ms) = 0;
  virtual int resolve_route(rdma_cm_id* id, int timeout_ms) = 0;
  virtual std::uint16_t get_src_port(rdma_cm_id* id) = 0;
  virtual std::uint16_t get_dst_port(rdma_cm_id* id) = 0;

  virtual int create_qp(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* attr) = 0;
  virtual int create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* attr) = 0;
  virtual void destroy_qp(rdma_cm_id* id) = 0;

  virtual int connect(rdma_cm_id* id, rdma_conn_param* param) = 0;
  virtual int accept(rdma_cm_id* id, rdma_conn_param* param) = 0;
  virtual int reject(rdma_cm_id* id, const void* data, std::uint8_t size) = 0;
  virtual int establish(rdma_cm_id* id) = 0;
  virtual int disconnect(rdma_cm_id* id) = 0;

  virtual int get_cm_event(rdma_event_channel* channel, rdma_cm_event** event) = 0;
  virtual int ack_cm_event(rdma_cm_event* event) = 0;
  virtual const char* event_str(rdma_cm_event_type event) = 0;
};

class Verbs {
 public:
  Verbs() = default;
  Verbs(const Verbs&) = delete;
  Verbs& operator=(const Verbs&) = delete;
  virtual ~Verbs() = default;

  virtual ibv_device** get_device_list(int* count) = 0;
  virtual void free_device_list(ibv_device** list) = 0;
  virtual const char* get_device_name(ibv_device* device) = 0;
  virtual ibv_context* open_device(ibv_device* device) = 0;
  virtual int close_device(ibv_context* context) = 0;
  virtual int query_device(ibv_context* context, ibv_device_attr* attr) = 0;

  virtual ibv_pd* alloc_pd(ibv_context* context) = 0;
  virtual int dealloc_pd(ibv_pd* pd) = 0;
  virtual ibv_mr* reg_mr(ibv_pd* pd, void* addr, size_t length, unsigned access) = 0;
  virtual int dereg_mr(ibv_mr* mr) = 0;

  virtual ibv_comp_channel* create_comp_channel(ibv_context* context) = 0;
  virtual int destroy_comp_channel(ibv_comp_channel* channel) = 0;
  virtual ibv_cq* create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                            int comp_vector) = 0;
  virtual int destroy_cq(ibv_cq* cq) = 0;
  virtual int get_cq_event(ibv_comp_channel* channel, ibv_cq** cq, void** cq_context) = 0;
  virtual void ack_cq_events(ibv_cq* cq, unsigned count) = 0;

  virtual ibv_srq* create_srq(ibv_pd* pd, ibv_srq_init_attr* attr) = 0;
  virtual int destroy_srq(ibv_srq* srq) = 0;
};

}  // namespace rdmamock
