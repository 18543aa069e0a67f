// SPDX-License-Identifier: BSD-3-Clause
// The librdmacm side of the fake. It follows the kernel's rules: which address can be bound, when an event is
// readable, what the other end gets. For a call that breaks the API it reports a complaint, then returns an
// error where that is possible.
//
// It is simpler than a network: answers take no time, so a disconnect is seen on both ends at once, and there
// are no retransmissions, time-outs or TIMEWAIT_EXIT events.
#pragma once

#include <string>

#include "mocks/fake/world.h"
#include "mocks/provider.h"

namespace rdmamock {

class FakeRdmacm {
 public:
  explicit FakeRdmacm(World& world) : world_(world) {}
  FakeRdmacm(const FakeRdmacm&) = delete;
  FakeRdmacm& operator=(const FakeRdmacm&) = delete;
  virtual ~FakeRdmacm() = default;

  // Each of these is the C function rdma_NAME, with its arguments, result and errno. Scripts put expectations
  // on the virtual ones (mock.h).

  // ids.cpp
  virtual rdma_event_channel* create_event_channel();
  virtual void destroy_event_channel(rdma_event_channel* channel);
  virtual int create_id(rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space ps);
  virtual int destroy_id(rdma_cm_id* id);
  int migrate_id(rdma_cm_id* id, rdma_event_channel* channel);

  // addrinfo.cpp
  virtual int getaddrinfo(const char* node, const char* service, const rdma_addrinfo* hints,
                          rdma_addrinfo** res);
  virtual void freeaddrinfo(rdma_addrinfo* res);

  // binding.cpp
  virtual int bind_addr(rdma_cm_id* id, sockaddr* addr);
  virtual int listen(rdma_cm_id* id, int backlog);
  int resolve_addr(rdma_cm_id* id, sockaddr* src, sockaddr* dst, int timeout_ms);
  int resolve_route(rdma_cm_id* id, int timeout_ms);
  std::uint16_t get_src_port(rdma_cm_id* id);
  std::uint16_t get_dst_port(rdma_cm_id* id);

  // queue_pairs.cpp
  int create_qp(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* attr);
  int create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* attr);
  void destroy_qp(rdma_cm_id* id);

  // connections.cpp
  int connect(rdma_cm_id* id, rdma_conn_param* param);
  int accept(rdma_cm_id* id, rdma_conn_param* param);
  int reject(rdma_cm_id* id, const void* data, std::uint8_t size);
  int establish(rdma_cm_id* id);
  int disconnect(rdma_cm_id* id);

  // events.cpp
  int get_cm_event(rdma_event_channel* channel, rdma_cm_event** event);
  int ack_cm_event(rdma_cm_event* event);
  static const char* event_str(rdma_cm_event_type event);

  // For scripts.
  // Queue a connection request for a listening id, without a client, with `data` as its private data.
  void inject_request(rdma_cm_id* listener, const std::string& data);
  // Queue an event without parameters for an id.
  void inject_event(rdma_cm_id* id, rdma_cm_event_type type, int status);
  // Extend `head` to a chain of `length` copies.
  void lengthen(rdma_addrinfo* head, int length);
  // Remove the source address of a result.
  void drop_source(rdma_addrinfo* head);
  // From now on a new id has the address of the one released last.
  void recycle_ids(bool on);
  // The number of requests that were read and acknowledged, but whose id was neither answered nor destroyed.
  std::uint32_t swallowed_requests();

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Data = std::pair<const void*, std::size_t>;

  Lock lock() { return Lock(world_.mutex); }
  Id* known(const rdma_cm_id* id, const char* call);
  Channel* known(const rdma_event_channel* channel, const char* call);
  void complain(const char* call, const std::string& what) const;

  Channel* make_channel(bool internal);
  void close_channel(Channel& channel);
  Channel& channel_of(Id& id) { return *world_.channels.find(id.pub.channel); }
  bool attach(Id& id);
  bool has_channel(Id& id, const char* call);
  void drop_queued(Id& id);
  void tell_peer_of_end(Id& id);

  int bind(Id& id, const sockaddr_storage& addr);
  void use_device(Id& id);

  Id* find_listener(const sockaddr_storage& addr);
  static bool valid_data(const rdma_conn_param* param, std::size_t limit);
  void queue_request(Id& listener, Id* client, Data data, const rdma_conn_param* param);
  void refuse(Id& client, int status, Data data);

  Event& queue(Id& id, rdma_cm_event_type type, int status);
  static void set_private_data(Event& event, Data data, std::size_t padded);
  int next_event(Lock& guard, rdma_event_channel* channel, rdma_cm_event** event);
  static void unqueue(Channel& channel, Event& event);
  rdma_cm_event* deliver(Event& event);
  bool deliver_request(Event& event);
  void acknowledge(Event& event);
  int complete(Lock& guard, Id& id);

  World& world_;
};

// The status of a REJECTED event if the other end's program rejected the request.
constexpr int kConsumerDefined = 28;

// Set errno and return -1.
int fail(int error);

}  // namespace rdmamock
