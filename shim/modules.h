// SPDX-License-Identifier: BSD-3-Clause
//
// The modules that one armed session has seen as callers: enters each into the log once, with its role and
// with the rules whose caller filter accepts it.
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

  // Begins a session, while nobody calls caller_at(). Modules that an earlier one left in the log are used
  // again where they are loaded still. What the spans show must stay until the session's end.
  void begin(rdmafault_log& log, std::span<const rdmafault_rule> rules,
             std::span<const rdmafault_role> roles);

  // Who called from `address`. Any number of threads at once; never waits.
  Caller caller_at(std::uint64_t address);

 private:
  std::uint16_t role_of(const Object& object) const;
  std::uint32_t rules_for(const Object* object, std::uint16_t role) const;
  std::uint32_t enter(std::size_t index, const Object& object);

  // How the table is shared
  //
  //   Slot i stands for log->modules[i]. keys_[i] goes from 0 to a module's key once, by compare-and-swap;
  //   who wins owns the slot and alone fills the log's entry, then stores its `ready` and then accepted_[i],
  //   each with release order. A reader that meets its key first needs nothing but the index from the slot:
  //   until accepted_[i] is there it computes the same value itself. So each module gets one slot, and nobody
  //   waits. Slots fill in order; the first key of 0 ends the table. Nothing is removed before the next
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
