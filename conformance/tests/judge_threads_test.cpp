// SPDX-License-Identifier: BSD-3-Clause
//
// What threads promise one another (judge_threads.cpp, LISTEN-THREADS-1), and that a fault reaches no call of
// another thread. In the evidence thread 1 has no rules, and rdma_listen fails in thread 2.
#include <gtest/gtest.h>
#include <librpma.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <string_view>

#include "conformance/tests/trial.h"

namespace conformance {
namespace {

ThreadRound& round_of(Trial& trial, size_t thread, size_t round) {
  return trial.evidence.threads.at(thread).seen.round.at(round);
}

// The last call of a function in a thread's own log, which belongs to its second round.
rdmafault_record& record_of(Trial& trial, size_t thread, std::string_view function) {
  const auto& threads = trial.evidence.threads;
  const size_t first = threads.at(thread).first_record;
  size_t i = thread + 1 < threads.size() ? threads[thread + 1].first_record : trial.evidence.records.size();
  const uint16_t wanted = call_of(function).function;
  while (i > first)
    if (trial.evidence.records[--i].function == wanted) return trial.evidence.records[i];
  throw std::out_of_range(std::string(function));
}

// Nothing is removed, so that no window shifts: the call is another one, which releases nothing.
void do_not_release(Trial& trial, size_t thread, std::string_view function) {
  rdmafault_record& record = record_of(trial, thread, function);
  const int32_t id = record.thread;
  record = call_of("free");
  record.thread = id;
}

Trial right_threads_in_a_cold_process() {
  Trial trial = right_threads();
  trial.experiment.start = Start::Cold;
  return trial;
}

Trial right_threads_without_rules() {
  Trial trial = right_threads();
  trial.experiment.rules.clear();
  trial.expectation.promise = Promise::Success;
  trial.evidence.records.resize(trial.evidence.threads.back().first_record);
  trial.evidence.threads.pop_back();
  return trial;
}

// ---- Faults where they are not for.

constexpr TrialRow kStray[] = {
    {"in a thread without rules", right_threads,
     [](Trial& t) { record_of(t, 0, "rdma_listen").flags |= RDMAFAULT_INJECTED; }, "all broken",
     "thread 1 of 2"},
    {"in a thread of an experiment without rules", right_threads_without_rules,
     [](Trial& t) { record_of(t, 0, "malloc").flags |= RDMAFAULT_INJECTED; }, "all broken"},
    {"in another thread's call", right_threads, [](Trial& t) { record_of(t, 1, "rdma_listen").thread = 999; },
     "all broken", "thread 2 of 2"},
    {"counted in a thread without rules", right_threads,
     [](Trial& t) { round_of(t, 0, 1).rules[0].seen = 1; }, "all broken", "round 2"},
    {"not fired, and the call was not made", right_threads,
     [](Trial& t) {
       round_of(t, 1, 0).rules[0] = {0, 0};
     },
     "THREADS-1 unreached", "thread 2 of 2, round 1"},
    {"not fired, though the call was made", right_threads,
     [](Trial& t) {
       round_of(t, 1, 1).rules[0] = {1, 0};
     },
     "THREADS-1 broken", "thread 2 of 2, round 2"},
    {"fired too often", right_threads,
     [](Trial& t) {
       round_of(t, 1, 1).rules[0] = {2, 0};
     },
     "THREADS-1 broken"},
};

TEST(JudgeThreads, FaultsReachTheirThreadAlone) {
  expect_outcomes(kStray);
}

// ---- What each thread gets.

constexpr TrialRow kRounds[] = {
    {"threads without rules", right_threads_without_rules, [](Trial& /*t*/) {}, ""},
    {"a fault gives another code", right_threads, [](Trial& t) { round_of(t, 1, 1).code = RPMA_E_NOMEM; },
     "THREADS-1 fail iut", "RPMA_E_NOMEM"},
    {"a fault gives 0", right_threads, [](Trial& t) { round_of(t, 1, 0).code = 0; }, "THREADS-1 fail iut"},
    {"a fault, and a store", right_threads, [](Trial& t) { round_of(t, 1, 0).out_after = 0; },
     "THREADS-1 fail iut", "thread 2 of 2, round 1"},
    {"no fault, and a failure", right_threads, [](Trial& t) { round_of(t, 0, 1).code = RPMA_E_PROVIDER; },
     "THREADS-1 fail iut", "thread 1 of 2, round 2"},
    {"no fault, and a failure of the surroundings", right_threads,
     [](Trial& t) {
       round_of(t, 0, 1).code = RPMA_E_PROVIDER;
       make_fail(record_of(t, 0, "rdma_bind_addr"), EADDRINUSE);
     },
     "THREADS-1 broken", "rdma_bind_addr"},
    {"no endpoint", right_threads,
     [](Trial& t) {
       round_of(t, 0, 0).step = Step::Called;
       round_of(t, 0, 0).out_after = 0;
     },
     "THREADS-1 fail iut"},
    {"the endpoint is the sentinel", right_threads,
     [](Trial& t) {
       round_of(t, 0, 0).step = Step::Called;
       round_of(t, 0, 0).out_after = kSentinel;
     },
     "THREADS-1 fail iut"},
    {"does not work", right_threads, [](Trial& t) { round_of(t, 0, 0).works = Works::No; },
     "THREADS-1 fail iut"},
    {"was not used", right_threads, [](Trial& t) { round_of(t, 0, 0).works = Works::Unknown; },
     "THREADS-1 broken"},
    {"the shutdown fails", right_threads, [](Trial& t) { round_of(t, 0, 0).undo_code = RPMA_E_PROVIDER; },
     "THREADS-1 fail iut", "RPMA_E_PROVIDER"},
    {"a finding goes before what could not be told", right_threads,
     [](Trial& t) {
       round_of(t, 0, 0).works = Works::Unknown;
       round_of(t, 1, 0).code = 0;
     },
     "THREADS-1 fail iut"},
    {"the first finding counts", right_threads,
     [](Trial& t) {
       round_of(t, 0, 1).code = RPMA_E_NOMEM;
       round_of(t, 1, 0).code = 0;
     },
     "THREADS-1 fail iut", "RPMA_E_NOMEM"},
};

TEST(JudgeThreads, EachGetsWhatItsOwnCallDeserves) {
  expect_outcomes(kRounds);
}

// ---- What is left, afterwards and at the end.

constexpr TrialRow kLeft[] = {
    {"a block", right_threads, [](Trial& t) { record_of(t, 1, "free").released = 0; }, "THREADS-1 fail iut",
     "thread 2 of 2"},
    {"a channel", right_threads, [](Trial& t) { do_not_release(t, 0, "rdma_destroy_event_channel"); },
     "THREADS-1 fail iut", "thread 1 of 2"},
    {"a channel of librdmacm", right_threads,
     [](Trial& t) {
       do_not_release(t, 0, "rdma_destroy_event_channel");
       record_of(t, 0, "rdma_create_event_channel").module = kRdmacm;
     },
     "THREADS-1 fail rdmacm"},
    {"an endpoint that was not shut down", right_threads,
     [](Trial& t) { round_of(t, 0, 1).step = Step::Used; }, "THREADS-1 fail iut"},
    {"a descriptor", right_threads, [](Trial& t) { open_descriptor(t.seen().end, 7, "/etc/hosts"); },
     "THREADS-1 fail iut", "/etc/hosts"},
    {"a descriptor in a cold process", right_threads_in_a_cold_process,
     [](Trial& t) { open_descriptor(t.seen().end, 7, "/etc/hosts"); }, ""},
    {"a cm_id in the kernel", right_threads, [](Trial& t) { t.seen().end.cm_ids = 1; }, "THREADS-1 fail iut",
     "1 cm_ids"},
    {"cm_ids that the kernel does not list", right_threads,
     [](Trial& t) {
       t.seen().before.cm_ids = -1;
       t.seen().end.cm_ids = 0;
     },
     ""},
    {"the last listen fails", right_threads, [](Trial& t) { t.seen().again_code = RPMA_E_PROVIDER; },
     "THREADS-1 fail iut", "RPMA_E_PROVIDER"},
    {"the last listen fails for the surroundings", right_threads,
     [](Trial& t) {
       t.evidence.records.push_back(call_of("rdma_bind_addr"));
       make_fail(t.evidence.records.back(), EADDRINUSE);
       t.evidence.records.back().thread = 102;
       t.seen().again_last = static_cast<uint32_t>(t.evidence.records.size());
       t.seen().again_code = RPMA_E_PROVIDER;
     },
     "THREADS-1 broken", "rdma_bind_addr"},
    {"the last listen does not work", right_threads, [](Trial& t) { t.seen().again_works = Works::No; },
     "THREADS-1 fail iut"},
    {"the last listen was not used", right_threads, [](Trial& t) { t.seen().again_works = Works::Unknown; },
     "THREADS-1 broken"},
    {"released twice", right_threads,
     [](Trial& t) {
       record_of(t, 1, "free") = [] {
         rdmafault_record record = call_of("rdma_destroy_event_channel");
         record.released = kChannel;
         record.thread = 102;
         return record;
       }();
     },
     "THREADS-1 fail iut, LEGAL-1 fail iut"},
};

TEST(JudgeThreads, NothingIsLeftAndTheLastListenWorks) {
  expect_outcomes(kLeft);
}

// ---- A process that died or hung.

void stop_in(Trial& trial, size_t thread, size_t round, Step step) {
  for (size_t i = 0; i < trial.evidence.threads.size(); ++i) {
    ThreadSeen& seen = trial.evidence.threads[i].seen;
    seen.rounds = static_cast<uint32_t>(i <= thread ? round + 1 : round);
  }
  ThreadRound& last = round_of(trial, thread, round);
  last.step = step;
  last.code = 0;
  last.works = Works::Unknown;
}

constexpr TrialRow kDead[] = {
    {"crash", right_threads,
     [](Trial& t) {
       t.crash(Phase::Call);
       stop_in(t, 1, 1, Step::Calls);
     },
     "THREADS-1 crash iut, rest unreached", "thread 2 of 2, round 2"},
    {"crash in librdmacm", right_threads,
     [](Trial& t) {
       t.crash(Phase::Use, {"librdmacm.so.1"});
       stop_in(t, 0, 1, Step::Uses);
     },
     "THREADS-1 crash rdmacm, rest unreached", "thread 1 of 2, round 2"},
    {"hang", right_threads,
     [](Trial& t) {
       t.hang(Phase::Undo);
       stop_in(t, 0, 0, Step::Undoes);
     },
     "THREADS-1 hang iut, rest unreached", "thread 1 of 2, round 1"},
    {"crash in librdmacm after a thread got a wrong code", right_threads,
     [](Trial& t) {
       t.crash(Phase::Call, {"librdmacm.so.1"});
       stop_in(t, 0, 1, Step::Calls);
       round_of(t, 1, 0).code = 0;
     },
     "THREADS-1 crash iut, THREADS-1 fail iut, rest unreached"},
    {"hang in librdmacm after a thread got a wrong code", right_threads,
     [](Trial& t) {
       t.hang(Phase::Call, {"librdmacm.so.1"});
       stop_in(t, 0, 1, Step::Calls);
       round_of(t, 1, 0).code = 0;
     },
     "THREADS-1 hang iut, THREADS-1 fail iut, rest unreached"},
    {"crash after what could not be told", right_threads,
     [](Trial& t) {
       t.crash(Phase::Call);
       stop_in(t, 0, 1, Step::Calls);
       round_of(t, 0, 0).works = Works::Unknown;
     },
     "THREADS-1 crash iut, rest unreached"},
    {"crash after a misuse in an earlier thread's log", right_threads,
     [](Trial& t) {
       t.crash(Phase::Call, {"librdmacm.so.1"});
       stop_in(t, 1, 1, Step::Calls);
       record_of(t, 0, "rdma_freeaddrinfo").released = 0x700;
     },
     "THREADS-1 crash iut, LEGAL-1 fail iut"},
};

TEST(JudgeThreads, EndOfTheProcessIsOneOfTheirs) {
  expect_outcomes(kDead);
}

}  // namespace
}  // namespace conformance
