// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions: real failures of a machine (a full descriptor table, a busy port, a missing device), caused
// without the shim. A condition is imposed right before the call under test and lifted right after it. A new
// condition is a row in conditions.cpp.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "conformance/harness/testbed.h"

namespace conformance {

// A condition that holds; lift() ends it.
class Imposed {
 public:
  Imposed() = default;
  virtual ~Imposed() = default;
  Imposed(const Imposed&) = delete;
  Imposed& operator=(const Imposed&) = delete;
  Imposed(Imposed&&) = delete;
  Imposed& operator=(Imposed&&) = delete;

  // Empty, or why the condition holds only in part: then a success of the call under test proves nothing.
  [[nodiscard]] virtual std::string lacks() const { return {}; }
  // Empty, or why it could not be lifted.
  virtual std::string lift() = 0;
};

// The feature (features.h) of the conditions that replace a device node.
inline constexpr std::string_view kMounts = "mounts";

struct Condition {
  std::string_view name;
  std::string_view what;       // for a reader: "no descriptor is left"
  std::string_view parameter;  // what follows the colon; empty: nothing
  // In the child, with the testbed ready. Throws std::runtime_error if it cannot be imposed here.
  std::unique_ptr<Imposed> (*impose)(Testbed& bed, const std::string& parameter) = nullptr;  // may be null
  // In the child, before anything else, and never lifted: for credentials. If a process sets its
  // credentials, even to the same values, the kernel refuses its open rdma_cm and uverbs descriptors
  // (ib_safe_file_access). May be null.
  void (*begin)() = nullptr;
  bool alone = false;  // disturbs the whole machine: no other experiment may run at the same time
  // Changes the network or RDMA configuration of the whole machine: needs Target::allow_disruptive.
  bool disruptive = false;
  // Holds until the process has ended: no next call is made.
  bool lasts = false;
  // In the runner, after the experiment has ended: restores the machine. Returns empty, or what is still
  // wrong. May be null.
  std::string (*restore)(const Target& target) = nullptr;
  // What the host needs for it (features.h); empty: nothing.
  std::string_view feature = {};
};

// The row of NAME or NAME:PARAMETER, or null.
const Condition* find_condition(std::string_view text);

// Why a condition may not be imposed on this target; empty: it may.
std::string not_allowed(const Condition& condition, const Target& target);

// What follows the colon.
std::string parameter_of(std::string_view text);

}  // namespace conformance
