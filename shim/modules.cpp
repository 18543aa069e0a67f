// SPDX-License-Identifier: BSD-3-Clause
//
// Writes callers' modules into the log.
#include "shim/modules.h"

#include <algorithm>

#include "shim/text.h"

namespace rdmafault {
namespace {

constexpr std::uint32_t kAccepted = UINT32_C(1) << 31;
static_assert(RDMAFAULT_MAX_RULES < 31);

constexpr std::uint64_t kStale = 1;  // the key of a slot whose module is not loaded any more

// Identifies a module, even if it was unloaded and another one was loaded at the same address.
std::uint64_t key_of(const Object& object) {
  std::uint64_t key = object.start;
  for (const std::uint64_t part :
       {object.end, object.base, reinterpret_cast<std::uint64_t>(object.dynamic)}) {
    key = (key ^ (key >> 29)) * UINT64_C(0xbf58476d1ce4e5b9) + part;
  }
  return key > kStale ? key : key + 2;
}

}  // namespace

void Modules::begin(rdmafault_log& log, std::span<const rdmafault_rule> rules,
                    std::span<const rdmafault_role> roles) {
  log_ = &log;
  rules_ = rules;
  roles_ = roles;
  if (objects::need_snapshot()) snapshot_.take();
  const std::size_t old = std::min<std::size_t>(log.module_count, RDMAFAULT_MAX_MODULES);
  for (std::size_t i = 0; i < RDMAFAULT_MAX_MODULES; ++i) {
    std::uint64_t key = i < old ? kStale : 0;
    std::uint32_t accepted = 0;
    rdmafault_module& module = log.modules[i];
    Object object;
    if (i < old && module.ready != 0 && objects::find(module.start, snapshot_, object) &&
        module.base == object.base && module.start == object.start && module.end == object.end &&
        starts_with(object.soname(), module.soname)) {
      module.role = role_of(object);
      module.rules = rules_for(&object, module.role);
      key = key_of(object);
      accepted = module.rules | kAccepted;
    }
    keys_[i].store(key, std::memory_order_relaxed);
    accepted_[i].store(accepted, std::memory_order_relaxed);
  }
}

Modules::Caller Modules::caller_at(std::uint64_t address) {
  Object object;
  // After a call of a function that never returns, the return address may be in the next function: look one
  // byte before it.
  if (!objects::find(address - 1, snapshot_, object))
    return {RDMAFAULT_NONE, rules_for(nullptr, RDMAFAULT_NONE)};
  const std::uint64_t key = key_of(object);
  for (std::uint16_t i = 0; i < RDMAFAULT_MAX_MODULES; ++i) {
    std::uint64_t there = keys_[i].load(std::memory_order_acquire);
    if (there == 0 && keys_[i].compare_exchange_strong(there, key, std::memory_order_acq_rel)) {
      return {i, enter(i, object)};
    }
    if (there != key) continue;
    const std::uint32_t accepted = accepted_[i].load(std::memory_order_acquire);
    return {i, accepted != 0 ? accepted : rules_for(&object, role_of(object))};
  }
  // The table is full: a count above the maximum says so.
  std::atomic_ref<std::uint32_t>(log_->module_count)
      .store(RDMAFAULT_MAX_MODULES + 1, std::memory_order_relaxed);
  return {RDMAFAULT_NONE, rules_for(&object, role_of(object))};
}

std::uint32_t Modules::enter(std::size_t index, const Object& object) {
  std::atomic_ref<std::uint32_t>(log_->module_count).fetch_add(1, std::memory_order_relaxed);
  rdmafault_module& module = log_->modules[index];
  module.base = object.base;
  module.start = object.start;
  module.end = object.end;
  module.role = role_of(object);
  module.rules = rules_for(&object, module.role);
  copy_text(module.soname, object.soname());
  copy_text(module.path, object.path());
  std::atomic_ref<std::uint16_t>(module.ready).store(1, std::memory_order_release);
  accepted_[index].store(module.rules | kAccepted, std::memory_order_release);
  return module.rules;
}

std::uint16_t Modules::role_of(const Object& object) const {
  const std::string_view soname = object.soname();
  const std::string_view path = object.path();
  for (std::size_t i = 0; i < roles_.size(); ++i) {
    const std::string_view module = roles_[i].module;
    if (module == soname || module == path) return static_cast<std::uint16_t>(i);
  }
  return RDMAFAULT_NONE;
}

// The rules whose caller filter accepts the object; nullptr: the caller is in no known object.
std::uint32_t Modules::rules_for(const Object* object, std::uint16_t role) const {
  const std::string_view soname = object != nullptr ? object->soname() : std::string_view();
  const std::string_view role_name = role != RDMAFAULT_NONE ? roles_[role].role : std::string_view();
  std::uint32_t accepted = 0;
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    const rdmafault_rule& rule = rules_[i];
    bool accepts = true;
    switch (rule.caller) {
      case RDMAFAULT_CALLER_IS:
        accepts = soname == rule.caller_name;
        break;
      case RDMAFAULT_CALLER_IS_NOT:
        accepts = soname != rule.caller_name;
        break;
      case RDMAFAULT_ROLE_IS:
        accepts = role_name == rule.caller_name;
        break;
      case RDMAFAULT_ROLE_IS_NOT:
        accepts = role_name != rule.caller_name;
        break;
      default:
        break;
    }
    if (accepts) accepted |= UINT32_C(1) << i;
  }
  return accepted;
}

}  // namespace rdmafault
