// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions: what really goes wrong on a machine (a full descriptor table, a busy port, a device that is
// gone), made with the real thing rather than with the shim. Imposed right before the call under test, lifted
// right after it. A new condition is a row in conditions.cpp.
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

  // Empty, or what it is short of: the call under test may be refused under it, but a success proves nothing.
  [[nodiscard]] virtual std::string lacks() const { return {}; }
  // Empty, or why it could not be lifted.
  virtual std::string lift() = 0;
};

// The feature (features.h) of the conditions that replace a device node.
inline constexpr std::string_view kMounts = "mounts";

struct Condition {
  std::string_view name;
  std::string_view what;       // for a reader: "no descriptor is left"
  std::string_view parameter;  // what stands behind the colon; empty: nothing
  // In the child, with the testbed ready. Throws std::runtime_error where it cannot be had here.
  std::unique_ptr<Imposed> (*impose)(Testbed& bed, const std::string& parameter) = nullptr;  // may be null
  // In the child, before anything else, and never lifted: credentials. The kernel refuses descriptors of
  // rdma_cm and uverbs to a process whose credentials were set, be it to the same, since they were opened
  // (ib_safe_file_access). May be null.
  void (*begin)() = nullptr;
  bool alone = false;  // disturbs the whole machine: no other experiment may run meanwhile
  // Changes what the machine's whole network or RDMA subsystem is: wants Target::allow_disruptive.
  bool disruptive = false;
  // Outlives the call, for what is gone comes back only after the process has ended: no next call is made.
  bool lasts = false;
  // In the runner, after an experiment that ran alone has ended: waits until the machine is what it was.
  // Returns empty, or what is still wrong. May be null.
  std::string (*restore)(const Target& target) = nullptr;
  // What the host needs for it (features.h); empty: nothing.
  std::string_view feature = {};
};

// The row that NAME or NAME:PARAMETER means, or null.
const Condition* find_condition(std::string_view text);

// Why a condition may not be imposed on this target; empty: it may.
std::string not_allowed(const Condition& condition, const Target& target);

// What stands behind the colon.
std::string parameter_of(std::string_view text);

}  // namespace conformance
