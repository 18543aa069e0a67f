// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/holdings.h"

#include <dirent.h>
#include <libmnl/libmnl.h>
#include <link.h>
#include <rdma/rdma_netlink.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {
namespace {

// The kernel's maximum for one message of a dump.
constexpr size_t kDumpSize = 32768;

struct SocketCloser {
  void operator()(mnl_socket* socket) const { mnl_socket_close(socket); }
};
using Socket = std::unique_ptr<mnl_socket, SocketCloser>;

// What one dump returns.
struct Gathered {
  std::vector<uint32_t> devices;
  int cm_ids = 0;
};

// libmnl's callbacks, one for each level of an answer.
int on_device_field(const nlattr* field, void* gathered) {
  if (mnl_attr_get_type(field) == RDMA_NLDEV_ATTR_DEV_INDEX)
    static_cast<Gathered*>(gathered)->devices.push_back(mnl_attr_get_u32(field));
  return MNL_CB_OK;
}

int on_device(const nlmsghdr* message, void* gathered) {
  return mnl_attr_parse(message, 0, on_device_field, gathered);
}

int on_cm_id_field(const nlattr* field, void* gathered) {
  if (mnl_attr_get_type(field) == RDMA_NLDEV_ATTR_RES_PID &&
      mnl_attr_get_u32(field) == static_cast<uint32_t>(getpid()))
    ++static_cast<Gathered*>(gathered)->cm_ids;
  return MNL_CB_OK;
}

int on_cm_id(const nlattr* entry, void* gathered) {
  return mnl_attr_parse_nested(entry, on_cm_id_field, gathered);
}

int on_cm_id_table(const nlattr* field, void* gathered) {
  if (mnl_attr_get_type(field) != RDMA_NLDEV_ATTR_RES_CM_ID) return MNL_CB_OK;
  return mnl_attr_parse_nested(field, on_cm_id, gathered);
}

int on_cm_ids(const nlmsghdr* message, void* gathered) {
  return mnl_attr_parse(message, 0, on_cm_id_table, gathered);
}

bool dump(mnl_socket* socket, uint16_t command, const uint32_t* device, mnl_cb_t callback,
          Gathered& gathered) {
  std::vector<char> buffer(kDumpSize);
  nlmsghdr* request = mnl_nlmsg_put_header(buffer.data());
  request->nlmsg_type = static_cast<uint16_t>(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command));
  request->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_DUMP;
  request->nlmsg_seq = command;
  if (device != nullptr) mnl_attr_put_u32(request, RDMA_NLDEV_ATTR_DEV_INDEX, *device);
  if (mnl_socket_sendto(socket, request, request->nlmsg_len) < 0) return false;
  for (;;) {
    const ssize_t size = mnl_socket_recvfrom(socket, buffer.data(), buffer.size());
    if (size < 0) return false;
    const int more = mnl_cb_run(buffer.data(), static_cast<size_t>(size), command,
                                mnl_socket_get_portid(socket), callback, &gathered);
    if (more < 0) return false;
    if (more == MNL_CB_STOP) return true;
  }
}

int kernel_cm_ids() {
  const Socket socket(mnl_socket_open2(NETLINK_RDMA, SOCK_CLOEXEC));
  if (!socket || mnl_socket_bind(socket.get(), 0, MNL_SOCKET_AUTOPID) < 0) return -1;
  Gathered gathered;
  if (!dump(socket.get(), RDMA_NLDEV_CMD_GET, nullptr, on_device, gathered)) return -1;
  for (const uint32_t device : gathered.devices)
    if (!dump(socket.get(), RDMA_NLDEV_CMD_RES_CM_ID_GET, &device, on_cm_ids, gathered)) return -1;
  return gathered.cm_ids;
}

int note_module(dl_phdr_info* info, size_t, void* data) {
  auto& observation = *static_cast<Observation*>(data);
  if (observation.module_count < observation.modules.size()) {
    LoadedModule& module = observation.modules.at(observation.module_count);
    module.base = info->dlpi_addr;
    strncpy(module.path.data(), info->dlpi_name, module.path.size() - 1);
  }
  ++observation.module_count;
  return 0;
}

}  // namespace

std::string kind_of(const Descriptor& descriptor) {
  std::string target = descriptor.target.data();
  // If the device is gone, its node is deleted; the kind stays the same.
  constexpr std::string_view gone = " (deleted)";
  if (target.ends_with(gone)) target.resize(target.size() - gone.size());
  const size_t bracket = target.find(":[");
  const bool numbered = bracket != std::string::npos && !target.starts_with("anon_inode");
  return numbered ? target.substr(0, bracket) : target;
}

void take_holdings(Holdings& holdings, bool ask_kernel) {
  holdings.count = 0;
  holdings.cm_ids = ask_kernel ? kernel_cm_ids() : -1;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/fd"), closedir);
  if (!folder) return;
  while (const dirent* entry = readdir(folder.get())) {
    const std::string_view name = entry->d_name;
    int number = -1;
    if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc{}) continue;
    if (number == dirfd(folder.get())) continue;
    if (holdings.count < holdings.descriptors.size()) {
      Descriptor& descriptor = holdings.descriptors.at(holdings.count);
      descriptor.number = number;
      const std::string path = "/proc/self/fd/" + std::to_string(number);
      const ssize_t size = readlink(path.c_str(), descriptor.target.data(), descriptor.target.size() - 1);
      descriptor.target.at(size > 0 ? static_cast<size_t>(size) : 0) = '\0';
    }
    ++holdings.count;
  }
  holdings.taken = 1;
}

void list_modules(Observation& observation) {
  observation.module_count = 0;
  dl_iterate_phdr(note_module, &observation);
}

std::map<std::string, int> gained_descriptors(const Holdings& before, const Holdings& after) {
  std::map<std::string, int> counts;
  const auto count = [&counts](const Holdings& holdings, int by) {
    const size_t listed = std::min<size_t>(holdings.count, holdings.descriptors.size());
    for (size_t i = 0; i < listed; ++i) counts[kind_of(holdings.descriptors.at(i))] += by;
  };
  count(after, 1);
  count(before, -1);
  std::erase_if(counts, [](const auto& entry) { return entry.second <= 0; });
  return counts;
}

}  // namespace conformance
