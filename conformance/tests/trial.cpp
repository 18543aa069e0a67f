// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tests/trial.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <librpma.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <span>
#include <stdexcept>
#include <utility>

#include "conformance/harness/expectations.h"
#include "conformance/harness/ledger.h"
#include "conformance/harness/listen_operation.h"

namespace conformance {
namespace {

constexpr int32_t kThreads[] = {101, 102};

std::span<const rdmafault_function> all_functions() {
  size_t count = 0;
  const rdmafault_function* const first = rdmafault_functions(&count);
  return {first, count};
}

size_t index_of_argument(const rdmafault_record& record, std::string_view name) {
  const auto& args = function_of(record).args;
  for (size_t i = 0; i < RDMAFAULT_MAX_ARGS; ++i)
    if (args[i] != nullptr && name == args[i]) return i;
  throw std::out_of_range(std::string(name));
}

using Records = std::vector<rdmafault_record>;

void release(Records& records, std::string_view function, uint64_t handle) {
  records.push_back(call_of(function));
  records.back().released = handle;
}

// The calls of one listen, until `fails`, which is left as it is for the caller.
void listen(Records& records, std::string_view fails = {}) {
  struct Step {
    std::string_view function;
    uint64_t acquired;
  };
  constexpr Step steps[] = {{"malloc", kBlock},      {"rdma_create_event_channel", kChannel},
                            {"rdma_create_id", kId}, {"rdma_getaddrinfo", kInfo},
                            {"rdma_bind_addr", 0},   {"rdma_listen", 0}};
  for (const Step& step : steps) {
    records.push_back(call_of(step.function));
    rdmafault_record& record = records.back();
    if (step.function == "rdma_create_id") {
      set_argument(record, "channel", kChannel);
      set_argument(record, "port_space", RDMA_PS_TCP);
    } else if (step.function == "rdma_getaddrinfo") {
      set_argument(record, "flags", RAI_PASSIVE);
      set_argument(record, "qp_type", IBV_QPT_RC);
      set_argument(record, "port_space", RDMA_PS_TCP);
    } else if (step.function == "rdma_bind_addr" || step.function == "rdma_listen") {
      set_argument(record, "id", kId);
    }
    if (step.function == fails) return;
    record.acquired = step.acquired;
    if (function_of(record).convention == RDMAFAULT_POINTER)
      record.result = static_cast<int64_t>(step.acquired);
  }
}

// Releases what is held after a failure, or all that a shutdown gives back.
void give_back(Records& records) {
  const auto holds = [&records](uint64_t handle) {
    return std::ranges::find(records, handle, &rdmafault_record::acquired) != records.end() &&
           std::ranges::find(records, handle, &rdmafault_record::released) == records.end();
  };
  if (holds(kInfo)) release(records, "rdma_freeaddrinfo", kInfo);
  if (holds(kId)) release(records, "rdma_destroy_id", kId);
  if (holds(kChannel)) release(records, "rdma_destroy_event_channel", kChannel);
  if (holds(kBlock)) release(records, "free", kBlock);
}

void end_call(Evidence& evidence) {
  evidence.observation.call_last = static_cast<uint32_t>(evidence.records.size());
}

void shut_down(Evidence& evidence) {
  Observation& seen = evidence.observation;
  end_call(evidence);
  give_back(evidence.records);
  seen.undone = 1;
  seen.undo_first = seen.call_last;
  seen.undo_last = static_cast<uint32_t>(evidence.records.size());
}

Trial trial() {
  Trial trial;
  const std::pair<std::string_view, std::string_view> roles[] = {
      {"iut", "librpma.so.0"}, {"rdmacm", "librdmacm.so.1"},   {"ibverbs", "libibverbs.so.1"},
      {"libc", "libc.so.6"},   {"harness", "librdmafault.so"}, {"harness", "main"}};
  for (const auto& [role, module] : roles) {
    rdmafault_role row{};
    role.copy(row.role, sizeof(row.role) - 1);
    module.copy(row.module, sizeof(row.module) - 1);
    trial.library.roles.push_back(row);
  }
  for (const std::string_view file : {"librpma.so.0", "librdmacm.so.1", "libc.so.6", "libother.so.2"}) {
    rdmafault_module module{};
    file.copy(module.soname, sizeof(module.soname) - 1);
    trial.evidence.modules.push_back(module);
  }
  trial.experiment.operation = listen_operation();
  trial.experiment.sentinel = Sentinel::Wild;
  Observation& seen = trial.seen();
  seen.phase = Phase::Done;
  seen.returned = 1;
  seen.has_out = 1;
  seen.out_before = seen.out_after = kSentinel;
  for (Holdings* holdings : {&seen.before, &seen.after, &seen.end}) {
    holdings->taken = 1;
    for (int32_t number = 0; number < 3; ++number) open_descriptor(*holdings, number, "/dev/null");
  }
  return trial;
}

Evidence succeeded(const Trial& trial) {
  Evidence evidence = trial.evidence;
  Observation& seen = evidence.observation;
  listen(evidence.records);
  release(evidence.records, "rdma_freeaddrinfo", kInfo);
  shut_down(evidence);
  seen.out_after = kEndpoint;
  seen.used = 1;
  seen.works = Works::Yes;
  seen.after.cm_ids = 1;
  return evidence;
}

void fail_with(Trial& trial, int code) {
  Observation& seen = trial.seen();
  give_back(trial.evidence.records);
  end_call(trial.evidence);
  seen.code = code;
  seen.again = 1;
  seen.again_works = Works::Yes;
  seen.again_first = seen.again_last = seen.call_last;
}

void use_rule(Trial& trial, const std::string& text) {
  trial.experiment.rules = {make_rule(text)};
  trial.seen().rules[0] = {1, 1};
}

std::string_view error_for(std::string_view function) {
  if (function == "malloc" || function == "rdma_create_id") return "ENOMEM";
  return function == "rdma_create_event_channel" ? "EMFILE" : "EADDRINUSE";
}

}  // namespace

rdmafault_record call_of(std::string_view function, Caller caller) {
  const auto all = all_functions();
  const auto found = std::ranges::find_if(all, [&](const auto& row) { return function == row.name; });
  if (found == all.end()) throw std::out_of_range(std::string(function));
  rdmafault_record record{};
  record.function = static_cast<uint16_t>(found - all.begin());
  record.module = caller;
  record.flags = RDMAFAULT_COMPLETE;
  record.rule = RDMAFAULT_NONE;
  return record;
}

void set_argument(rdmafault_record& record, std::string_view name, int64_t value) {
  record.args[index_of_argument(record, name)] = value;
}

int64_t argument_of(const rdmafault_record& record, std::string_view name) {
  return record.args[index_of_argument(record, name)];
}

void make_fail(rdmafault_record& record, int error) {
  record.acquired = 0;
  record.error = error;
  record.result = function_of(record).convention == RDMAFAULT_POINTER ? 0 : -1;
}

void inject_failure(rdmafault_record& record, int error) {
  make_fail(record, error);
  record.flags |= RDMAFAULT_INJECTED;
  record.rule = 0;
}

Place place_in(std::string_view file) {
  Place place{};
  place.address = 0x7000'1234;
  place.offset = 0x1234;
  put(place.file, file);
  return place;
}

void open_descriptor(Holdings& holdings, int32_t number, std::string_view target) {
  Descriptor& descriptor = holdings.descriptors.at(holdings.count++);
  descriptor.number = number;
  put(descriptor.target, target);
}

rdmafault_record& Trial::call(std::string_view function) {
  const auto found = std::ranges::find_if(
      evidence.records, [&](const auto& record) { return function == function_of(record).name; });
  if (found == evidence.records.end()) throw std::out_of_range(std::string(function));
  return *found;
}

rdmafault_record& Trial::add(std::string_view function, Caller caller) {
  Observation& o = seen();
  const auto at = evidence.records.begin() + static_cast<ptrdiff_t>(o.call_last);
  for (uint32_t* bound : {&o.call_last, &o.undo_first, &o.undo_last, &o.again_first, &o.again_last}) ++*bound;
  return *evidence.records.insert(at, call_of(function, caller));
}

rdmafault_record& Trial::add_to_undo(std::string_view function, Caller caller) {
  evidence.records.push_back(call_of(function, caller));
  seen().undo_last = static_cast<uint32_t>(evidence.records.size());
  return evidence.records.back();
}

void Trial::forget(std::string_view function) {
  const auto index = static_cast<uint32_t>(&call(function) - evidence.records.data());
  evidence.records.erase(evidence.records.begin() + index);
  Observation& o = seen();
  for (uint32_t* bound : {&o.call_last, &o.undo_first, &o.undo_last, &o.again_first, &o.again_last})
    if (*bound > index) --*bound;
}

void Trial::die(Phase phase, const std::vector<std::string_view>& files) {
  Observation& o = seen();
  o.phase = phase;
  o.returned = phase > Phase::Call ? 1 : 0;
  o.frames = 0;
  for (const std::string_view file : files) o.frame.at(o.frames++) = place_in(file);
  if (o.frames > 0) o.at = o.frame[0];
}

void Trial::crash(Phase phase, const std::vector<std::string_view>& files) {
  die(phase, files);
  seen().signal = SIGSEGV;
}

void Trial::hang(Phase phase, const std::vector<std::string_view>& files) {
  die(phase, files);
  seen().timed_out = 1;
  seen().signal = SIGKILL;
}

std::vector<ClauseOutcome> Trial::judged() const {
  return judge(library, experiment, expectation, evidence, control ? &*control : nullptr);
}

Trial right_success() {
  Trial right = trial();
  right.evidence = succeeded(right);
  right.expectation.promise = Promise::Success;
  return right;
}

Trial right_failure(std::string_view function) {
  Trial right = trial();
  right.control = succeeded(right);
  listen(right.evidence.records, function);
  inject_failure(right.evidence.records.back(), ENOMEM);
  const bool no_address = function == "rdma_getaddrinfo";
  use_rule(right, no_address ? "rdma_getaddrinfo:retval=EAI_NONAME:caller=@iut"
                             : fmt::format("{}:error={}:caller=@iut", function, error_for(function)));
  right.expectation = function == "malloc" ? no_memory() : provider_failed({clause_about(function)});
  fail_with(right, right.expectation.code);
  return right;
}

Trial right_refusal() {
  Trial right = trial();
  right.control = succeeded(right);
  right.experiment.operation = listen_operation({.nulls = kPeerNull});
  right.expectation.code = RPMA_E_INVAL;
  right.expectation.code_clauses = {"LISTEN-INVAL-1"};
  right.expectation.asks_nothing = true;
  fail_with(right, RPMA_E_INVAL);
  return right;
}

Trial right_failure_below() {
  Trial right = trial();
  right.control = succeeded(right);
  Records& records = right.evidence.records;
  listen(records, "rdma_create_id");
  make_fail(records.back(), ENOMEM);
  records.push_back(call_of("malloc", kRdmacm));
  records.back().depth = 1;
  inject_failure(records.back(), ENOMEM);
  use_rule(right, "malloc:error=ENOMEM:caller=@rdmacm");
  right.expectation.promise = Promise::Either;
  fail_with(right, RPMA_E_PROVIDER);
  return right;
}

Trial right_success_above_a_fault() {
  Trial right = trial();
  right.control = succeeded(right);
  right.evidence = *right.control;
  rdmafault_record& failed = right.add("malloc", kRdmacm);
  inject_failure(failed, ENOMEM);
  use_rule(right, "malloc:error=ENOMEM:caller=@rdmacm");
  right.expectation.promise = Promise::Either;
  return right;
}

Trial right_failure_under_a_condition() {
  Trial right = trial();
  right.control = succeeded(right);
  listen(right.evidence.records, "rdma_bind_addr");
  make_fail(right.evidence.records.back(), EADDRINUSE);
  right.experiment.condition = "port-busy";
  right.expectation = provider_failed({"LISTEN-REAL-1"});
  fail_with(right, RPMA_E_PROVIDER);
  return right;
}

Trial right_threads() {
  Trial right = trial();
  right.control = succeeded(right);
  right.experiment.threads = 2;
  use_rule(right, "rdma_listen:error=EADDRINUSE:caller=@iut");
  right.expectation.promise = Promise::Failure;
  right.expectation.code = RPMA_E_PROVIDER;
  right.expectation.threads = true;
  Observation& seen = right.seen();
  seen.again = 1;
  seen.again_works = Works::Yes;
  Records& all = right.evidence.records;
  for (const int32_t id : kThreads) {
    const bool has_rules = id == kThreads[1];
    Evidence::Thread thread{};
    thread.first_record = static_cast<uint32_t>(all.size());
    thread.seen.id = id;
    thread.seen.rounds = 2;
    uint32_t size = 0;
    for (ThreadRound& round : std::span(thread.seen.round).first(2)) {
      Records records;
      listen(records, has_rules ? "rdma_listen" : "");
      round.out_before = round.out_after = kSentinel;
      round.call_first = size;
      if (has_rules) {
        inject_failure(records.back(), EADDRINUSE);
        give_back(records);
        round.step = Step::Called;
        round.code = RPMA_E_PROVIDER;
        round.rules[0] = {1, 1};
        round.call_last = size + static_cast<uint32_t>(records.size());
      } else {
        release(records, "rdma_freeaddrinfo", kInfo);
        round.call_last = round.undo_first = size + static_cast<uint32_t>(records.size());
        give_back(records);
        round.step = Step::Undone;
        round.out_after = kEndpoint;
        round.works = Works::Yes;
        round.undo_last = size + static_cast<uint32_t>(records.size());
      }
      for (rdmafault_record& record : records) record.thread = id;
      size += static_cast<uint32_t>(records.size());
      all.insert(all.end(), records.begin(), records.end());
    }
    right.evidence.threads.push_back(thread);
  }
  seen.again_first = seen.again_last = static_cast<uint32_t>(all.size());
  return right;
}

void use_mock(Trial& trial) {
  trial.library.mock.begin = [](const char*) { return 0; };
}

std::string summary(const Trial& trial, const std::vector<ClauseOutcome>& outcomes) {
  std::vector<std::string_view> clauses =
      clauses_judged(trial.expectation, trial.library.mock.begin != nullptr);
  size_t passes = 0;
  size_t findings = 0;
  std::string last;
  for (const ClauseOutcome& one : outcomes) {
    std::erase(clauses, one.clause);
    passes += static_cast<size_t>(one.outcome.passed());
    findings += static_cast<size_t>(is_finding(one.outcome.verdict()));
    last = name_of(one.outcome.verdict());
  }
  // One verdict on all that is no finding, in a word.
  const bool one_word = clauses.empty() && passes == 0 && outcomes.size() > findings &&
                        std::ranges::all_of(outcomes, [&](const ClauseOutcome& one) {
                          return is_finding(one.outcome.verdict()) || name_of(one.outcome.verdict()) == last;
                        });
  std::string text;
  const auto add = [&text](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  const auto short_id = [](std::string_view id) { return id.substr(std::string_view("LISTEN-").size()); };
  for (const ClauseOutcome& one : outcomes)
    if (!one.outcome.passed() && !(one_word && !is_finding(one.outcome.verdict())))
      add(fmt::format("{} {}{}{}", short_id(one.clause), name_of(one.outcome.verdict()),
                      one.module.empty() ? "" : " ", one.module));
  for (const std::string_view id : clauses) add(fmt::format("{} none", short_id(id)));
  if (one_word) add((findings == 0 ? "all " : "rest ") + last);
  return text;
}

void expect_outcomes(const TrialRow* rows, size_t count) {
  for (const TrialRow& row : std::span(rows, count)) {
    Trial trial = row.right();
    row.change(trial);
    const std::vector<ClauseOutcome> outcomes = trial.judged();
    EXPECT_EQ(summary(trial, outcomes), row.outcomes) << row.what;
    const auto first = std::ranges::find_if(outcomes, [](const auto& one) { return !one.outcome.passed(); });
    const std::string reason = first == outcomes.end() ? "" : first->outcome.reason();
    EXPECT_NE(reason.find(row.token), std::string::npos) << row.what << ": " << reason;
  }
}

}  // namespace conformance
