// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "conformance/harness/imposing.h"

namespace conformance {
namespace {

constexpr Condition kConditions[] = {
    {"memlock", "RLIMIT_MEMLOCK is low", "KiB", lower_memlock},
    {"descriptors-left", "only this many descriptors are left below RLIMIT_NOFILE", "number",
     leave_descriptors},
    {.name = "no-bind-service",
     .what = "the process lacks CAP_NET_BIND_SERVICE",
     .parameter = "",
     .begin = give_up_bind_service},

    {"port-held", "another endpoint of this process listens on the port", "address", hold_port_here},
    {"port-held-elsewhere", "an endpoint of another process listens on the port", "address",
     hold_port_elsewhere},
    {"listener-killed", "another process that listened on the address and port was killed just before", "",
     kill_listener},
    {"listeners", "this many other endpoints of this process listen", "number", hold_many},
    {"listeners-to-the-limit",
     "RLIMIT_NOFILE leaves this many descriptors, and other endpoints of this process use all of them",
     "number", hold_all},

    {.name = "node-missing",
     .what = "there is no /dev/infiniband/rdma_cm",
     .parameter = "",
     .impose = hide_node,
     .feature = kMounts},
    {.name = "node-awaited",
     .what = "there is no /dev/infiniband/rdma_cm, but udev may create it",
     .parameter = "",
     .impose = hide_node_for_long,
     .alone = true,
     .restore = remove_udev_folder,
     .feature = kMounts},
    {.name = "node-forbidden",
     .what = "the process may not open /dev/infiniband/rdma_cm",
     .parameter = "",
     .impose = forbid_node,
     .begin = give_up_file_privileges,
     .feature = kMounts},
    {.name = "node-replaced",
     .what = "/dev/infiniband/rdma_cm is another file",
     .parameter = "file, null or zero",
     .impose = replace_node,
     .feature = kMounts},

    {.name = "no-device",
     .what = "the network namespace has the address but no RDMA device",
     .parameter = "",
     .impose = take_all_devices,
     .alone = true,
     .disruptive = true,
     .restore = make_machine_whole},
    {.name = "link-deleted",
     .what = "the soft-RoCE link was deleted while contexts of it are open",
     .parameter = "",
     .impose = delete_link,
     .alone = true,
     .disruptive = true,
     .lasts = true,
     .restore = make_machine_whole},
    {.name = "interface-down",
     .what = "the device's network interface is down",
     .parameter = "",
     .impose = take_interface_down,
     .alone = true,
     .disruptive = true,
     .restore = make_machine_whole},
};

}  // namespace

const Condition* find_condition(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  const auto* const found = std::ranges::find(kConditions, name, &Condition::name);
  return found == std::end(kConditions) ? nullptr : &*found;
}

std::string not_allowed(const Condition& condition, const Target& target) {
  if (!condition.disruptive || target.allow_disruptive) return {};
  return fmt::format(
      "condition {} disturbs the whole host; run it in a virtual machine (--provider rxe without --device) "
      "or with --allow-disruptive",
      condition.name);
}

std::string parameter_of(std::string_view text) {
  const size_t colon = text.find(':');
  return colon == std::string_view::npos ? "" : std::string(text.substr(colon + 1));
}

}  // namespace conformance
