// SPDX-License-Identifier: BSD-3-Clause
//
// The functions in the table of conditions (conditions.cpp), one for each row; each kind has its own file.
// Only for these files; conditions.h is the interface.
#pragma once

#include <memory>
#include <string>

#include "conformance/harness/conditions.h"

namespace conformance {

using ImposedPtr = std::unique_ptr<Imposed>;

// Limits and privileges of the process: conditions_limits.cpp.
ImposedPtr lower_memlock(Testbed& bed, const std::string& kib);
ImposedPtr leave_descriptors(Testbed& bed, const std::string& number);
void give_up_bind_service();
void give_up_file_privileges();

// Other listeners: conditions_listeners.cpp. `address` may be a name in listen_operation.h.
ImposedPtr hold_port_here(Testbed& bed, const std::string& address);
ImposedPtr hold_port_elsewhere(Testbed& bed, const std::string& address);
ImposedPtr kill_listener(Testbed& bed, const std::string& none);
ImposedPtr hold_many(Testbed& bed, const std::string& number);
ImposedPtr hold_all(Testbed& bed, const std::string& descriptors);

// The device node of rdma_cm, as this process alone sees it: conditions_node.cpp.
ImposedPtr hide_node(Testbed& bed, const std::string& none);
ImposedPtr hide_node_for_long(Testbed& bed, const std::string& none);
std::string remove_udev_folder(const Target& target);
ImposedPtr forbid_node(Testbed& bed, const std::string& none);
ImposedPtr replace_node(Testbed& bed, const std::string& by);

// The machine's device and interface: conditions_machine.cpp.
ImposedPtr take_all_devices(Testbed& bed, const std::string& none);
ImposedPtr delete_link(Testbed& bed, const std::string& none);
ImposedPtr take_interface_down(Testbed& bed, const std::string& none);
std::string make_machine_whole(const Target& target);

}  // namespace conformance
