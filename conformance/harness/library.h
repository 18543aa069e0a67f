// SPDX-License-Identifier: BSD-3-Clause
//
// The libraries of the stack. The runner opens them and links none: first librdmacm with RTLD_GLOBAL, so that
// the shim's dlsym(RTLD_NEXT) finds it, then the IUT by its path. This touches no RDMA device.
#pragma once

#include <librpma.h>
#include <rdma/rdma_cma.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mocks/rdmamock.h"
#include "shim/rdmafault.h"

namespace conformance {

// The set-up cannot work; what() is one line that says what to do. Commands end with exit code 2.
class SetupError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The functions of the IUT that the harness calls.
struct Iut {
  std::string path;    // as loaded
  std::string soname;  // DT_SONAME, or the base name
  uint64_t base = 0;
  bool counts_coverage = false;  // built with gcov: its destructor writes the counters
  decltype(&rpma_ep_listen) ep_listen = nullptr;
  decltype(&rpma_ep_shutdown) ep_shutdown = nullptr;
  decltype(&rpma_ep_get_fd) ep_get_fd = nullptr;
  decltype(&rpma_ep_next_conn_req) ep_next_conn_req = nullptr;
  decltype(&rpma_peer_new) peer_new = nullptr;
  decltype(&rpma_peer_delete) peer_delete = nullptr;
  decltype(&rpma_utils_get_ibv_context) utils_get_ibv_context = nullptr;
  decltype(&rpma_conn_req_connect) conn_req_connect = nullptr;
  decltype(&rpma_conn_next_event) conn_next_event = nullptr;
  decltype(&rpma_conn_get_event_fd) conn_get_event_fd = nullptr;
  decltype(&rpma_conn_disconnect) conn_disconnect = nullptr;
  decltype(&rpma_conn_delete) conn_delete = nullptr;
  decltype(&rpma_log_set_function) log_set_function = nullptr;
};

// The provider's functions that the harness calls: for the peer of a cold start, for its client, and for a
// listen without the IUT.
struct Provider {
  decltype(&rdma_create_event_channel) create_event_channel = nullptr;
  decltype(&rdma_destroy_event_channel) destroy_event_channel = nullptr;
  decltype(&rdma_create_id) create_id = nullptr;
  decltype(&rdma_destroy_id) destroy_id = nullptr;
  decltype(&rdma_getaddrinfo) getaddrinfo = nullptr;
  decltype(&rdma_freeaddrinfo) freeaddrinfo = nullptr;
  decltype(&rdma_bind_addr) bind_addr = nullptr;
  decltype(&rdma_listen) listen = nullptr;
  decltype(&rdma_resolve_addr) resolve_addr = nullptr;
  decltype(&rdma_resolve_route) resolve_route = nullptr;
  decltype(&rdma_create_qp) create_qp = nullptr;
  decltype(&rdma_destroy_qp) destroy_qp = nullptr;
  decltype(&rdma_connect) connect = nullptr;
  decltype(&rdma_disconnect) disconnect = nullptr;
  decltype(&rdma_get_cm_event) get_cm_event = nullptr;
  decltype(&rdma_ack_cm_event) ack_cm_event = nullptr;
  decltype(&rdma_event_str) event_str = nullptr;
  decltype(&ibv_get_device_list) get_device_list = nullptr;
  decltype(&ibv_free_device_list) free_device_list = nullptr;
  decltype(&ibv_get_device_name) get_device_name = nullptr;
  decltype(&ibv_open_device) open_device = nullptr;
  decltype(&ibv_close_device) close_device = nullptr;
};

// The shim's control functions, from the preloaded library.
struct Shim {
  decltype(&rdmafault_arm) arm = nullptr;
  decltype(&rdmafault_disarm) disarm = nullptr;
  decltype(&rdmafault_log_init) log_init = nullptr;
  decltype(&rdmafault_log_size) log_size = nullptr;
  decltype(&rdmafault_missing) missing = nullptr;
  decltype(&rdmafault_suspend) suspend = nullptr;
  decltype(&rdmafault_resume) resume = nullptr;
  uint64_t start = 0, end = 0;  // its mapping
};

// The mock's control functions; all null on a real provider.
struct Mock {
  decltype(&rdmamock_begin) begin = nullptr;
  decltype(&rdmamock_end) end = nullptr;
  decltype(&rdmamock_scripts) scripts = nullptr;
};

// Code of a loaded object: start and end of its executable segments.
using CodeRanges = std::vector<std::pair<uint64_t, uint64_t>>;

// Allocates nothing: for signal handlers too.
inline bool contains(const CodeRanges& code, uint64_t address) {
  return std::any_of(code.begin(), code.end(), [address](const auto& range) {
    return address >= range.first && address < range.second;
  });
}

struct Library {
  Iut iut;
  Provider provider;
  Shim shim;
  Mock mock;
  std::vector<rdmafault_role> roles;  // given to the shim
  CodeRanges not_for_the_mock;        // the real librdmacm, if the mock is the provider
};

struct LibraryOptions {
  std::string librpma;    // path; empty: the system's
  std::string rdma_core;  // folder with librdmacm and libibverbs; empty: the system's
  bool mock = false;
};

// True if the shim is preloaded in this process.
bool shim_is_preloaded();

// Opens everything, or throws SetupError.
Library open_library(const LibraryOptions& options);

// Empty, or the first provider or allocator function for which the IUT's relocation slot bypasses the shim.
std::string slot_past_shim(const Library& library);

// Adds the role of the driver library, which depends on the device. `modules`: the callers in an experiment's
// log.
void learn_driver(Library& library, std::span<const rdmafault_module> modules);

// A module's role, by its file name (DESIGN section 2).
std::string role_of(const Library& library, const std::string& file);

}  // namespace conformance
