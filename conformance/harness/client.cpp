// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/client.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netdb.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <memory>

#include "conformance/harness/codes.h"

namespace conformance {
namespace {

std::string failed(std::string_view what) {
  return fmt::format("{} failed: {}", what, error_name(errno));
}

bool readable(int fd, int patience_ms) {
  pollfd ready{fd, POLLIN, 0};
  return poll(&ready, 1, patience_ms) == 1 && (ready.revents & POLLIN) != 0;
}

// Waits for either; if both are readable, First.
enum class Readable { First, Second, None };
Readable either_readable(int first, int second, int patience_ms) {
  std::array<pollfd, 2> ready{pollfd{first, POLLIN, 0}, pollfd{second, POLLIN, 0}};
  if (poll(ready.data(), ready.size(), patience_ms) <= 0) return Readable::None;
  return (ready[0].revents & POLLIN) != 0 ? Readable::First : Readable::Second;
}

class Client {
 public:
  explicit Client(const Testbed& bed) : p_(bed.library.provider), patience_ms_(bed.target.patience_ms) {}
  ~Client() {
    if (id_ != nullptr && id_->qp != nullptr) p_.destroy_qp(id_);
    if (id_ != nullptr) p_.destroy_id(id_);
    if (channel_ != nullptr) p_.destroy_event_channel(channel_);
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  Client(Client&&) = delete;
  Client& operator=(Client&&) = delete;

  // Connects up to the point where the connection request is sent.
  std::string start(sockaddr* to) {
    channel_ = p_.create_event_channel();
    if (channel_ == nullptr) return failed("the client's rdma_create_event_channel");
    if (p_.create_id(channel_, &id_, nullptr, RDMA_PS_TCP) != 0) return failed("the client's rdma_create_id");
    if (p_.resolve_addr(id_, nullptr, to, patience_ms_) != 0) return failed("the client's rdma_resolve_addr");
    if (std::string text = expect(RDMA_CM_EVENT_ADDR_RESOLVED); !text.empty()) return text;
    if (p_.resolve_route(id_, patience_ms_) != 0) return failed("the client's rdma_resolve_route");
    if (std::string text = expect(RDMA_CM_EVENT_ROUTE_RESOLVED); !text.empty()) return text;
    ibv_qp_init_attr attributes{};
    attributes.qp_type = IBV_QPT_RC;
    attributes.cap.max_send_wr = attributes.cap.max_recv_wr = 2;
    attributes.cap.max_send_sge = attributes.cap.max_recv_sge = 1;
    if (p_.create_qp(id_, nullptr, &attributes) != 0) return failed("the client's rdma_create_qp");
    rdma_conn_param parameters{};
    parameters.retry_count = parameters.rnr_retry_count = 7;
    if (p_.connect(id_, &parameters) != 0) return failed("the client's rdma_connect");
    return {};
  }

  // Waits for one event, which must be `wanted`.
  std::string expect(rdma_cm_event_type wanted) {
    if (!readable(channel_->fd, patience_ms_))
      return fmt::format("the client waited {} s for {}", patience_ms_ / 1000, p_.event_str(wanted));
    rdma_cm_event* event = nullptr;
    if (p_.get_cm_event(channel_, &event) != 0) return failed("the client's rdma_get_cm_event");
    const rdma_cm_event_type got = event->event;
    const int status = event->status;
    p_.ack_cm_event(event);
    if (got == wanted) return {};
    return fmt::format("the client got {} (status {}) instead of {}", p_.event_str(got), status,
                       p_.event_str(wanted));
  }

  void disconnect() { p_.disconnect(id_); }
  [[nodiscard]] int fd() const { return channel_->fd; }

 private:
  const Provider& p_;
  int patience_ms_;  // of one step
  rdma_event_channel* channel_ = nullptr;
  rdma_cm_id* id_ = nullptr;
};

// The connection on the server's side, owned.
class Accepted {
 public:
  explicit Accepted(const Testbed& bed) : iut_(bed.library.iut), patience_ms_(bed.target.patience_ms) {}
  ~Accepted() {
    if (connection_ != nullptr) iut_.conn_delete(&connection_);
  }
  Accepted(const Accepted&) = delete;
  Accepted& operator=(const Accepted&) = delete;
  Accepted(Accepted&&) = delete;
  Accepted& operator=(Accepted&&) = delete;

  // Waits for the client's request. If there is no listener, the client is rejected first.
  std::string await_request(rpma_ep* endpoint, Client& client) const {
    int fd = -1;
    if (const int code = iut_.ep_get_fd(endpoint, &fd); code != 0)
      return fmt::format("rpma_ep_get_fd returned {}", code);
    switch (either_readable(fd, client.fd(), patience_ms_)) {
      case Readable::First:
        return {};
      case Readable::Second:
        return client.expect(RDMA_CM_EVENT_ESTABLISHED);
      case Readable::None:
        break;
    }
    return fmt::format("no connection request reached the endpoint within {} s", patience_ms_ / 1000);
  }

  std::string accept(rpma_ep* endpoint) {
    rpma_conn_req* request = nullptr;
    if (const int code = iut_.ep_next_conn_req(endpoint, nullptr, &request); code != 0)
      return fmt::format("rpma_ep_next_conn_req returned {}", code);
    if (const int code = iut_.conn_req_connect(&request, nullptr, &connection_); code != 0)
      return fmt::format("rpma_conn_req_connect returned {}", code);
    return {};
  }

  std::string expect(rpma_conn_event wanted, std::string_view name) {
    int fd = -1;
    if (const int code = iut_.conn_get_event_fd(connection_, &fd); code != 0)
      return fmt::format("rpma_conn_get_event_fd returned {}", code);
    if (!readable(fd, patience_ms_))
      return fmt::format("the server waited {} s for {}", patience_ms_ / 1000, name);
    rpma_conn_event event = RPMA_CONN_UNDEFINED;
    if (const int code = iut_.conn_next_event(connection_, &event); code != 0)
      return fmt::format("rpma_conn_next_event returned {} instead of {}", code, name);
    if (event != wanted)
      return fmt::format("the server got connection event {} instead of {}", static_cast<int>(event), name);
    return {};
  }

 private:
  const Iut& iut_;
  int patience_ms_;  // of one step
  rpma_conn* connection_ = nullptr;
};

}  // namespace

Works connect_to(const Testbed& bed, rpma_ep* endpoint, const std::string& address, const std::string& port,
                 std::string& text) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int code = getaddrinfo(address.c_str(), port.c_str(), &hints, &found); code != 0) {
    text = fmt::format("{} port {} is not a numeric address: {}", address, port, gai_strerror(code));
    return Works::Unknown;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owned(found, freeaddrinfo);

  Client client(bed);
  Accepted server(bed);
  if (text = client.start(found->ai_addr); !text.empty()) return Works::Unknown;
  if (text = server.await_request(endpoint, client); !text.empty()) return Works::No;
  if (bed.context_is_ours) return Works::Yes;
  if (text = server.accept(endpoint); !text.empty()) return Works::No;
  if (text = client.expect(RDMA_CM_EVENT_ESTABLISHED); !text.empty()) return Works::No;
  if (text = server.expect(RPMA_CONN_ESTABLISHED, "RPMA_CONN_ESTABLISHED"); !text.empty()) return Works::No;
  client.disconnect();
  text = server.expect(RPMA_CONN_CLOSED, "RPMA_CONN_CLOSED");
  return text.empty() ? Works::Yes : Works::No;
}

int take_queued(const Testbed& bed, rpma_ep* endpoint) {
  int fd = -1;
  if (bed.library.iut.ep_get_fd(endpoint, &fd) != 0) return -1;
  int requests = 0;
  while (readable(fd, 0)) {
    // accept() also removes events that are not connection requests; they are not counted.
    Accepted server(bed);
    if (server.accept(endpoint).empty()) ++requests;
  }
  return requests;
}

}  // namespace conformance
