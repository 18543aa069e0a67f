// SPDX-License-Identifier: BSD-3-Clause
//
// What happens to an interposed call while a thread is armed: rules count it, and records begin and end.
#include <unistd.h>

#include <cstring>

#include "shim/pool.h"
#include "shim/session.h"

namespace rdmafault {
namespace {

constexpr std::uint32_t kNoRecord = UINT32_MAX;

std::int32_t thread_id() {
  if (thread.id == 0) thread.id = gettid();
  return thread.id;
}

// Enters another thread's session, by the protocol in session.h, and leaves it at the end of the scope.
class Visit {
 public:
  explicit Visit(Session& session) : session_(session), epoch_(fork_epoch.load(std::memory_order_relaxed)) {
    session_.writers.fetch_add(1, std::memory_order_seq_cst);
    generation_ = session_.generation.load(std::memory_order_seq_cst);
  }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() {
    if (fork_epoch.load(std::memory_order_relaxed) == epoch_) {
      session_.writers.fetch_sub(1, std::memory_order_seq_cst);
    }
  }

  bool is_armed() const { return generation_ % 2 == 1; }
  std::uint32_t generation() const { return generation_; }

 private:
  Session& session_;
  std::uint32_t epoch_;
  std::uint32_t generation_;
};

// Counts the call in each rule that applies, and returns the index of the first rule that makes it fail. A
// call that another session already made fail is counted too.
std::uint16_t judge(Session& session, Call& call, std::uint32_t accepted, bool foreign) {
  std::uint16_t fired = RDMAFAULT_NONE;
  for (std::size_t i = 0; i < session.rule_count; ++i) {
    const rdmafault_rule& rule = session.rules[i];
    if (!is_about(rule, call.function)) continue;
    if ((accepted & (UINT32_C(1) << i)) == 0 || (foreign && rule.any_thread == 0)) continue;
    rdmafault_rule_state& state = session.log->rules[i];
    const std::uint64_t n = std::atomic_ref(state.seen).fetch_add(1, std::memory_order_relaxed) + 1;
    if (call.injected || rdmafault_rule_fires(&rule, n) == 0) continue;
    std::atomic_ref(state.fired).fetch_add(1, std::memory_order_relaxed);
    call.injected = true;
    call.action = static_cast<rdmafault_action>(rule.action);
    call.value = rule.value;
    fired = static_cast<std::uint16_t>(i);
  }
  return fired;
}

// Whether one of the accepted rules is about this function.
bool has_rule(const Session& session, Function function, std::uint32_t accepted) {
  for (std::size_t i = 0; i < session.rule_count; ++i)
    if ((accepted & (UINT32_C(1) << i)) != 0 && is_about(session.rules[i], function)) return true;
  return false;
}

// The number of a new record; kNoRecord if the log is full.
std::uint32_t next_record(rdmafault_log& log) {
  const std::atomic_ref count(log.count);
  // Stop counting long before the counter could wrap around.
  if (count.load(std::memory_order_relaxed) > UINT32_MAX - UINT32_MAX / 4) return kNoRecord;
  const std::uint32_t number = count.fetch_add(1, std::memory_order_relaxed);
  return number < log.capacity ? number : kNoRecord;
}

void begin_record(Session& session, std::uint32_t generation, Call& call, bool foreign) {
  const Modules::Caller caller = session.modules.caller_at(call.caller);
  const std::uint16_t fired = judge(session, call, caller.rules, foreign);
  if (session.injected_only && fired == RDMAFAULT_NONE) {
    if (!foreign && !has_rule(session, call.function, caller.rules))
      thread.passed_call = key_of_call(call.function, call.caller);
    return;
  }
  const std::uint32_t number = next_record(*session.log);
  if (number == kNoRecord) return;
  rdmafault_record& record = session.log->records[number];
  unsigned flags = foreign ? RDMAFAULT_FOREIGN : 0;
  if (call.injected) flags |= RDMAFAULT_INJECTED;
  std::atomic_ref(record.flags).store(static_cast<std::uint16_t>(flags), std::memory_order_release);
  record.function = static_cast<std::uint16_t>(call.function);
  record.module = caller.module;
  record.rule = fired;
  record.thread = thread_id();
  record.error = 0;
  record.depth = thread.depth;
  for (std::uint16_t& unused : record.reserved) unused = 0;
  record.caller = call.caller;
  record.result = 0;
  record.acquired = 0;
  record.released = call.released;
  for (std::size_t i = 0; i < RDMAFAULT_MAX_ARGS; ++i) record.args[i] = call.args[i];
  if (call.text != nullptr) {
    std::memcpy(record.text, call.text, sizeof(record.text));
  } else {
    record.text[0] = '\0';
  }
  call.tickets[call.ticket_count++] = {&session, generation, number};
}

void complete_record(const Call::Ticket& ticket, const Call& call, std::int64_t result, std::int32_t error) {
  rdmafault_record& record = ticket.session->log->records[ticket.record];
  record.result = result;
  record.error = error;
  record.acquired = call.acquired;
  unsigned flags = record.flags | RDMAFAULT_COMPLETE;
  if (call.injected) flags |= RDMAFAULT_INJECTED;  // also if a later session's rule made it fail
  std::atomic_ref(record.flags).store(static_cast<std::uint16_t>(flags), std::memory_order_release);
}

}  // namespace

void enter(Call& call) {
  if (thread.own != nullptr) {
    begin_record(*thread.own, thread.own->generation.load(std::memory_order_relaxed), call, false);
    return;
  }
  for (Session& session : pool) {
    if (session.generation.load(std::memory_order_relaxed) % 2 == 0) continue;
    const Visit visit(session);
    if (visit.is_armed()) begin_record(session, visit.generation(), call, true);
  }
}

void leave(const Call& call, std::int64_t result, std::int32_t error) {
  for (std::size_t i = 0; i < call.ticket_count; ++i) {
    const Call::Ticket& ticket = call.tickets[i];
    if (ticket.session == thread.own) {
      if (ticket.session->generation.load(std::memory_order_relaxed) == ticket.generation) {
        complete_record(ticket, call, result, error);
      }
      continue;
    }
    const Visit visit(*ticket.session);
    if (visit.generation() == ticket.generation) complete_record(ticket, call, result, error);
  }
}

}  // namespace rdmafault
