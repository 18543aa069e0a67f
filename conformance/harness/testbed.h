// SPDX-License-Identifier: BSD-3-Clause
//
// The environment of one child: device and address, peer, ports, and a live endpoint if the sentinel needs
// one.
#pragma once

#include <cstdint>
#include <string>

#include "conformance/harness/experiment.h"
#include "conformance/harness/library.h"

namespace conformance {

// Where the experiments run; fixed for a run.
struct Target {
  std::string provider;           // mock, rxe, hw
  std::string device;             // RDMA device, as ibv_devices names it
  std::string address;            // of the device's network interface; the listeners use it
  int patience_ms = 7500;         // for one step of a connection; well below the time-out of an experiment
  bool allow_disruptive = false;  // conditions may remove the machine's device or interface
};

struct Testbed {
  Testbed(const Library& library_, const Target& target_);

  const Library& library;
  const Target& target;
  std::string port;           // decimal; of the call under test
  std::string live_port;      // of other endpoints that listen
  std::string other_address;  // the call's address, if it is not the target's
  rpma_peer* peer = nullptr;
  ibv_context* context = nullptr;
  bool context_is_ours = false;  // opened by the harness, not by librdmacm
  rpma_ep* live = nullptr;

  // Each returns an empty string, or why it failed.
  std::string make_peer(Start start);
  std::string warm_up();
  std::string make_live();
  std::string tear_down();
};

}  // namespace conformance
