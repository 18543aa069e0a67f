// SPDX-License-Identifier: BSD-3-Clause
//
// Arming and disarming, and what fork does to the sessions.
#include "shim/session.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "shim/pool.h"

namespace rdmafault {

constinit thread_local Thread thread;
constinit std::atomic<std::uint32_t> armed_sessions = 0;
constinit Session pool[kMaxSessions];
constinit std::atomic<std::uint32_t> fork_epoch = 0;

namespace {

bool is_terminated(std::span<const char> text) {
  return std::memchr(text.data(), 0, text.size()) != nullptr;
}

bool is_sound(const rdmafault_rule& rule, std::uint32_t flags) {
  const rdmafault_function* row = row_for_rule(rule.function);
  if (row == nullptr || !can_fail(*row)) return false;
  if (row->kind == RDMAFAULT_SYSTEM_CALL && (flags & RDMAFAULT_SYSTEM_CALLS) == 0) return false;
  return rule.step != 0 && rule.action <= RDMAFAULT_RETVAL && rule.caller <= RDMAFAULT_ROLE_IS_NOT &&
         is_terminated(rule.caller_name);
}

bool is_sound(const rdmafault_role& role) {
  return is_terminated(role.role) && is_terminated(role.module);
}

// `session.log` must not be null.
bool is_sound(const rdmafault_session& session) {
  if (session.log->abi != RDMAFAULT_ABI) return false;
  if ((session.flags & ~std::uint32_t{RDMAFAULT_SYSTEM_CALLS | RDMAFAULT_INJECTED_ONLY}) != 0) return false;
  if (session.rule_count > RDMAFAULT_MAX_RULES || session.role_count > RDMAFAULT_MAX_ROLES) return false;
  if (session.rule_count > 0 && session.rules == nullptr) return false;
  if (session.role_count > 0 && session.roles == nullptr) return false;
  return std::all_of(session.rules, session.rules + session.rule_count,
                     [&](const rdmafault_rule& rule) { return is_sound(rule, session.flags); }) &&
         std::all_of(session.roles, session.roles + session.role_count,
                     [](const rdmafault_role& role) { return is_sound(role); });
}

// Bit F: no rule is about function F.
std::uint64_t functions_without_rule(const Session& session) {
  std::uint64_t functions = 0;
  for (std::size_t f = 0; f < kFunctionCount; ++f) {
    const bool has_rule =
        std::any_of(session.rules, session.rules + session.rule_count,
                    [f](const rdmafault_rule& rule) { return is_about(rule, static_cast<Function>(f)); });
    if (!has_rule) functions |= std::uint64_t{1} << f;
  }
  return functions;
}

Session* claim() {
  for (Session& session : pool) {
    bool claimed = false;
    if (session.claimed.compare_exchange_strong(claimed, true, std::memory_order_acq_rel)) return &session;
  }
  return nullptr;
}

}  // namespace

int arm(const rdmafault_session& request) {
  if (request.log == nullptr || !is_sound(request)) return EINVAL;
  if (thread.own != nullptr) return EBUSY;
  Session* const session = claim();
  if (session == nullptr) return EAGAIN;
  session->log = request.log;
  session->rule_count = request.rule_count;
  session->role_count = request.role_count;
  session->injected_only = (request.flags & RDMAFAULT_INJECTED_ONLY) != 0;
  std::copy_n(request.rules, request.rule_count, session->rules);
  std::copy_n(request.roles, request.role_count, session->roles);
  std::memset(request.log->rules, 0, sizeof(request.log->rules));
  session->modules.begin(*request.log, {session->rules, session->rule_count},
                         {session->roles, session->role_count});
  session->generation.fetch_add(1, std::memory_order_seq_cst);
  thread.depth = 0;
  thread.inside = 0;
  thread.own = session;
  thread.passed_functions = session->injected_only ? functions_without_rule(*session) : 0;
  armed_sessions.fetch_add(1, std::memory_order_seq_cst);
  return 0;
}

void disarm() {
  Session* const session = thread.own;
  if (session == nullptr) return;
  thread.own = nullptr;
  thread.passed_functions = 0;
  thread.passed_call = 0;
  armed_sessions.fetch_sub(1, std::memory_order_seq_cst);
  session->generation.fetch_add(1, std::memory_order_seq_cst);
  while (session->writers.load(std::memory_order_seq_cst) != 0) sched_yield();
  session->log = nullptr;
  session->claimed.store(false, std::memory_order_release);
}

void before_fork() {
  suspend();
}

void after_fork_in_parent() {
  resume();
}

// The child has one thread. It must not write to a log, which may be memory shared with the parent.
void after_fork_in_child() {
  fork_epoch.fetch_add(1, std::memory_order_relaxed);
  armed_sessions.store(0, std::memory_order_relaxed);
  for (Session& session : pool) {
    const std::uint32_t generation = session.generation.load(std::memory_order_relaxed);
    session.generation.store(generation + generation % 2, std::memory_order_relaxed);
    session.writers.store(0, std::memory_order_relaxed);
    session.claimed.store(false, std::memory_order_relaxed);
  }
  // The functions that called fork() go on in the child.
  const std::uint16_t depth = thread.depth;
  const std::uint64_t inside = thread.inside;
  thread = Thread();
  thread.depth = depth;
  thread.inside = inside;
}

}  // namespace rdmafault
