// SPDX-License-Identifier: BSD-3-Clause
//
// The modules that one session has seen as callers. Each gets one entry in the log, with its role and the
// rules whose caller filter accepts it.
#ifndef SHIM_MODULES_H
#define SHIM_MODULES_H

#include <atomic>
#include <cstdint>
#include <span>

#include "shim/objects.h"
#include "shim/rdmafault.h"

namespace rdmafault {

class Modules {
 public:
  struct Caller {
    std::uint16_t module;  // index into the log's modules, or RDMAFAULT_NONE
    std::uint32_t rules;   // bit i: rule i's caller filter accepts it
  };

  // Begin a session; no thread may be in caller_at(). Log entries of an earlier session are used again if
  // their modules are still loaded. The spans must stay valid until the session ends.
  void begin(rdmafault_log& log, std::span<const rdmafault_rule> rules,
             std::span<const rdmafault_role> roles);

  // The caller at `address`. Any number of threads may call this at once; it never waits.
  Caller caller_at(std::uint64_t address);

 private:
  std::uint16_t role_of(const Object& object) const;
  std::uint32_t rules_for(const Object* object, std::uint16_t role) const;
  std::uint32_t enter(std::size_t index, const Object& object);

  // How the table is shared
  //
  //   Slot i belongs to log->modules[i]. keys_[i] changes once from 0 to a module's key, by compare-and-swap.
  //   The thread that wins owns the slot: it fills the log's entry, then stores `ready` and then
  //   accepted_[i], each with release order. A thread that finds its module's key there needs only the index:
  //   until accepted_[i] is set, it computes the same value itself. So each module gets one slot, and no
  //   thread waits. Slots fill in order; the first key of 0 ends the table. Entries stay until the next
  //   begin().
  std::atomic<std::uint64_t> keys_[RDMAFAULT_MAX_MODULES] = {};
  std::atomic<std::uint32_t> accepted_[RDMAFAULT_MAX_MODULES] = {};  // 0, or the rules and kAccepted

  rdmafault_log* log_ = nullptr;
  std::span<const rdmafault_rule> rules_;
  std::span<const rdmafault_role> roles_;
  Snapshot snapshot_;
};

}  // namespace rdmafault

#endif  // SHIM_MODULES_H
