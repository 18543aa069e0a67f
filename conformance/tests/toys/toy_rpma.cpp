// SPDX-License-Identifier: BSD-3-Clause
//
// A toy librpma: as much of its interface as the harness calls, with a listener that makes the mistake which
// the environment variable RPMACONF_TOY names, or none. Mistakes that a defect of the reference listener
// makes are not repeated here, unless a test of the tool needs one that always shows.
#include <dlfcn.h>
#include <librpma.h>
#include <rdma/rdma_cma.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <utility>

#define TOY_EXPORT extern "C" __attribute__((visibility("default")))

struct rpma_peer {
  ibv_pd* pd;
};
struct rpma_ep {
  rpma_peer* peer;
  rdma_event_channel* channel;
  rdma_cm_id* id;
};
struct rpma_conn_req {
  rpma_peer* peer;
  rdma_cm_id* id;
};
struct rpma_conn {
  rdma_cm_id* id;
  rdma_event_channel* channel;
};

namespace {

bool makes(std::string_view mistake) {
  static const char* const kChosen = std::getenv("RPMACONF_TOY");
  return kChosen != nullptr && mistake == kChosen;
}

void* address_nowhere() {
  void* volatile nowhere = nullptr;
  return nowhere;
}

// A crash whose innermost frames have no exported names.
void crash_innermost() {
  *static_cast<volatile char*>(address_nowhere()) = 1;
}
void crash_in_between() {
  crash_innermost();
}
void crash_deep() {
  crash_in_between();
}

// A wait that no signal ends.
void sleep_for_ever() {
  for (;;) pause();
}

__attribute__((constructor)) void when_loaded() {
  if (makes("exit-on-load")) _exit(0);
  if (makes("abort-on-load")) std::abort();
  if (makes("sleep-on-load")) sleep_for_ever();
  // Rightly: a library may do so. The tool must not lose the exit statuses of its children by it.
  if (makes("children-ignored")) std::signal(SIGCHLD, SIG_IGN);
}

__attribute__((destructor)) void when_unloaded() {
  if (makes("exit-on-unload")) _exit(3);
}

// What the toy holds while it listens; given back by release() unless a mistake forgets it.
struct Attempt {
  rdma_event_channel* channel = nullptr;
  rdma_cm_id* id = nullptr;
  rdma_addrinfo* info = nullptr;
  void* block = nullptr;
  rpma_ep* endpoint = nullptr;

  void release() const {
    if (info != nullptr) rdma_freeaddrinfo(info);
    if (id != nullptr) rdma_destroy_id(id);
    if (channel != nullptr && !makes("leak-channel")) rdma_destroy_event_channel(channel);
    if (!makes("leak-block")) std::free(block);
    std::free(endpoint);
  }
};

// A crash reporter, as libraries have it. It replaces the handlers of the guard.
void report_crash(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Past the shim, so that the mock's handle reaches the real librdmacm.
int bind_past_the_shim(rdma_cm_id* id, sockaddr* address) {
  void* real = dlopen("librdmacm.so.1", RTLD_NOW);
  const auto function = reinterpret_cast<int (*)(rdma_cm_id*, sockaddr*)>(dlsym(real, "rdma_bind_addr"));
  const int failed = function(id, address);
  dlclose(real);
  return failed;
}

int attempt(Attempt& a, const char* addr, const char* port) {
  if (makes("crash-reporter")) std::signal(SIGSEGV, report_crash);
  a.block = makes("endpoint-by-calloc") ? std::calloc(3, 8) : std::malloc(24);
  if (a.block == nullptr) return RPMA_E_NOMEM;
  *static_cast<volatile char*>(a.block) = 1;  // or the compiler removes the block
  a.channel = rdma_create_event_channel();
  if (a.channel == nullptr) return RPMA_E_PROVIDER;
  rdma_cm_id* id = nullptr;  // what a failing call leaves here means nothing
  if (rdma_create_id(a.channel, &id, nullptr, RDMA_PS_TCP) != 0) return RPMA_E_PROVIDER;
  a.id = id;
  rdma_addrinfo hints{};
  hints.ai_flags = RAI_PASSIVE;
  hints.ai_qp_type = IBV_QPT_RC;
  hints.ai_port_space = RDMA_PS_TCP;
  rdma_addrinfo* info = nullptr;
  const int resolved = rdma_getaddrinfo(addr, port, &hints, &info);
  if (resolved != 0 && makes("unknown-without-memory") && errno == ENOMEM) return RPMA_E_UNKNOWN;
  if (resolved != 0) return RPMA_E_PROVIDER;
  a.info = info;
  sockaddr* local = a.info->ai_src_addr != nullptr ? a.info->ai_src_addr : a.info->ai_dst_addr;
  if (local == nullptr) return RPMA_E_PROVIDER;
  if (makes("bind-past-the-shim") && bind_past_the_shim(a.id, local) != 0) return RPMA_E_PROVIDER;
  if (rdma_bind_addr(a.id, local) != 0) return RPMA_E_PROVIDER;
  // What is bound already is refused.
  static bool is_first = true;
  const bool binds_twice =
      makes("refused-always") || (makes("refused-once") && std::exchange(is_first, false));
  if (binds_twice && rdma_bind_addr(a.id, local) != 0) return RPMA_E_PROVIDER;
  for (int failure = -1; failure != 0;) {
    failure = rdma_listen(a.id, 0);
    if (failure == 0 || makes("hang-on-listen")) continue;
    if (makes("exit-on-listen")) std::exit(0);
    if (makes("abort-on-listen")) std::abort();
    if (makes("deep-crash-on-listen")) crash_deep();
    if (makes("sleep-on-listen")) sleep_for_ever();
    if (makes("listen-ignored")) break;
    return makes("positive-code") ? 5 : RPMA_E_PROVIDER;
  }
  // Two ways to allocate are right.
  a.endpoint = static_cast<rpma_ep*>(makes("endpoint-by-calloc") ? std::calloc(1, sizeof(rpma_ep))
                                                                 : std::malloc(sizeof(rpma_ep)));
  return a.endpoint != nullptr ? 0 : RPMA_E_NOMEM;
}

// The process must not survive these, and the toy is at fault, not the provider.
void misuse_provider_on_failure() {
  static std::byte no_id[sizeof(rdma_cm_id)] = {};
  if (makes("destroy-made-up-id")) rdma_destroy_id(reinterpret_cast<rdma_cm_id*>(no_id));
  if (makes("throw-on-listen")) throw std::runtime_error("out of luck");
}

void touch_pointer_on_failure(rpma_ep** ep_ptr) {
  if (makes("pointer-restored")) {
    rpma_ep* const old = *const_cast<rpma_ep* volatile*>(ep_ptr);
    *const_cast<rpma_ep* volatile*>(ep_ptr) = nullptr;
    *const_cast<rpma_ep* volatile*>(ep_ptr) = old;
  }
}

}  // namespace

TOY_EXPORT int rpma_ep_listen(rpma_peer* peer, const char* addr, const char* port, rpma_ep** ep_ptr) {
  if (peer == nullptr || addr == nullptr || port == nullptr || ep_ptr == nullptr) return RPMA_E_INVAL;
  Attempt a;
  const int code = attempt(a, addr, port);
  if (code != 0) {
    a.release();
    if (makes("leak-descriptor")) static_cast<void>(dup(STDERR_FILENO));
    touch_pointer_on_failure(ep_ptr);
    misuse_provider_on_failure();
    if (makes("runner-killed")) kill(getppid(), SIGKILL);
    return code;
  }
  std::free(a.block);
  rdma_freeaddrinfo(a.info);
  *a.endpoint = {peer, a.channel, a.id};
  *ep_ptr = a.endpoint;
  return makes("never-succeeds") ? RPMA_E_UNKNOWN : 0;
}

TOY_EXPORT int rpma_ep_shutdown(rpma_ep** ep_ptr) {
  if (ep_ptr == nullptr) return RPMA_E_INVAL;
  if (*ep_ptr == nullptr) return 0;
  rdma_destroy_id((*ep_ptr)->id);
  rdma_destroy_event_channel((*ep_ptr)->channel);
  std::free(*ep_ptr);
  *ep_ptr = nullptr;
  return 0;
}

TOY_EXPORT int rpma_ep_get_fd(const rpma_ep* ep, int* fd) {
  *fd = ep->channel->fd;
  return 0;
}

TOY_EXPORT int rpma_ep_next_conn_req(rpma_ep* ep, const rpma_conn_cfg* /*cfg*/, rpma_conn_req** req_ptr) {
  rdma_cm_event* event = nullptr;
  if (rdma_get_cm_event(ep->channel, &event) != 0) return RPMA_E_PROVIDER;
  rdma_cm_id* id = event->event == RDMA_CM_EVENT_CONNECT_REQUEST ? event->id : nullptr;
  rdma_ack_cm_event(event);
  if (id == nullptr) return RPMA_E_INVAL;
  auto* request = static_cast<rpma_conn_req*>(std::malloc(sizeof(rpma_conn_req)));
  *request = {ep->peer, id};
  *req_ptr = request;
  return 0;
}

TOY_EXPORT int rpma_conn_req_connect(rpma_conn_req** req_ptr, const rpma_conn_private_data* /*pdata*/,
                                     rpma_conn** conn_ptr) {
  rdma_cm_id* id = (*req_ptr)->id;
  ibv_qp_init_attr attributes{};
  attributes.qp_type = IBV_QPT_RC;
  attributes.cap.max_send_wr = attributes.cap.max_recv_wr = 2;
  attributes.cap.max_send_sge = attributes.cap.max_recv_sge = 1;
  rdma_event_channel* channel = rdma_create_event_channel();
  rdma_conn_param parameters{};
  if (channel == nullptr || rdma_create_qp(id, (*req_ptr)->peer->pd, &attributes) != 0 ||
      rdma_migrate_id(id, channel) != 0 || rdma_accept(id, &parameters) != 0)
    return RPMA_E_PROVIDER;
  std::free(*req_ptr);
  *req_ptr = nullptr;
  auto* connection = static_cast<rpma_conn*>(std::malloc(sizeof(rpma_conn)));
  *connection = {id, channel};
  *conn_ptr = connection;
  return 0;
}

TOY_EXPORT int rpma_conn_get_event_fd(const rpma_conn* conn, int* fd) {
  *fd = conn->channel->fd;
  return 0;
}

TOY_EXPORT int rpma_conn_next_event(rpma_conn* conn, rpma_conn_event* event) {
  rdma_cm_event* seen = nullptr;
  if (rdma_get_cm_event(conn->channel, &seen) != 0) return RPMA_E_PROVIDER;
  *event = RPMA_CONN_UNDEFINED;
  if (seen->event == RDMA_CM_EVENT_ESTABLISHED) *event = RPMA_CONN_ESTABLISHED;
  if (seen->event == RDMA_CM_EVENT_DISCONNECTED) *event = RPMA_CONN_CLOSED;
  rdma_ack_cm_event(seen);
  return 0;
}

TOY_EXPORT int rpma_conn_disconnect(rpma_conn* conn) {
  return rdma_disconnect(conn->id) == 0 ? 0 : RPMA_E_PROVIDER;
}

TOY_EXPORT int rpma_conn_delete(rpma_conn** conn_ptr) {
  rdma_destroy_qp((*conn_ptr)->id);
  rdma_destroy_id((*conn_ptr)->id);
  rdma_destroy_event_channel((*conn_ptr)->channel);
  std::free(*conn_ptr);
  *conn_ptr = nullptr;
  return 0;
}

TOY_EXPORT int rpma_peer_new(ibv_context* ibv_ctx, rpma_peer** peer_ptr) {
  auto* peer = static_cast<rpma_peer*>(std::malloc(sizeof(rpma_peer)));
  peer->pd = ibv_alloc_pd(ibv_ctx);
  *peer_ptr = peer;
  return 0;
}

TOY_EXPORT int rpma_peer_delete(rpma_peer** peer_ptr) {
  ibv_dealloc_pd((*peer_ptr)->pd);
  std::free(*peer_ptr);
  *peer_ptr = nullptr;
  return 0;
}

TOY_EXPORT int rpma_utils_get_ibv_context(const char* addr, rpma_util_ibv_context_type /*type*/,
                                          ibv_context** ibv_ctx_ptr) {
  rdma_addrinfo hints{};
  hints.ai_flags = RAI_PASSIVE;
  hints.ai_port_space = RDMA_PS_TCP;
  rdma_addrinfo* info = nullptr;
  rdma_cm_id* id = nullptr;
  if (rdma_getaddrinfo(addr, nullptr, &hints, &info) != 0) return RPMA_E_PROVIDER;
  const bool bound =
      rdma_create_id(nullptr, &id, nullptr, RDMA_PS_TCP) == 0 && rdma_bind_addr(id, info->ai_src_addr) == 0;
  if (bound) *ibv_ctx_ptr = id->verbs;
  if (id != nullptr) rdma_destroy_id(id);
  rdma_freeaddrinfo(info);
  return bound ? 0 : RPMA_E_PROVIDER;
}

TOY_EXPORT int rpma_log_set_function(rpma_log_function* /*log_function*/) {
  return 0;
}
