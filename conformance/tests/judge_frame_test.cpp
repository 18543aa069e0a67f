// SPDX-License-Identifier: BSD-3-Clause
//
// The judge's frame (judge.cpp): what is no evidence, a process that died or hung, faults that did not fire
// as asked, and calls that the provider's pages do not allow (LISTEN-LEGAL-1).
#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "conformance/tests/trial.h"

namespace conformance {
namespace {

void nothing(Trial& /*trial*/) {}

Trial right_failure_of_listen() {
  return right_failure();
}

Trial right_failure_of_listen_on_mock() {
  Trial trial = right_failure();
  use_mock(trial);
  return trial;
}

// ---- A right listener passes, and each clause is judged.

constexpr TrialRow kRight[] = {
    {"success", right_success, nothing, ""},
    {"rdma_create_event_channel fails", [] { return right_failure("rdma_create_event_channel"); }, nothing,
     ""},
    {"rdma_create_id fails", [] { return right_failure("rdma_create_id"); }, nothing, ""},
    {"rdma_getaddrinfo fails", [] { return right_failure("rdma_getaddrinfo"); }, nothing, ""},
    {"rdma_bind_addr fails", [] { return right_failure("rdma_bind_addr"); }, nothing, ""},
    {"rdma_listen fails", right_failure_of_listen, nothing, ""},
    {"malloc fails", [] { return right_failure("malloc"); }, nothing, ""},
    {"on the mock", right_failure_of_listen_on_mock, nothing, ""},
    {"a NULL argument", right_refusal, nothing, ""},
    {"a fault below, reported", right_failure_below, nothing, ""},
    {"a fault below, without effect", right_success_above_a_fault, nothing, ""},
    {"a condition", right_failure_under_a_condition, nothing, ""},
    {"threads", right_threads, nothing, ""},
};

TEST(JudgeFrame, RightListenerPassesEachClause) {
  expect_outcomes(kRight);
}

// ---- What is no evidence.

template <int Signal, Phase In>
void ends_by_signal(Trial& trial) {
  trial.crash(In);
  trial.seen().signal = Signal;
}

constexpr TrialRow kNoEvidence[] = {
    {"no child", right_failure_of_listen, [](Trial& t) { t.evidence.child_error = "fork: EAGAIN"; },
     "all broken", "fork: EAGAIN"},
    {"set-up failed", right_success, [](Trial& t) { put(t.seen().broken, "no peer"); }, "all broken",
     "no peer"},
    {"too many descriptors before", right_success, [](Trial& t) { t.seen().before.count = 97; }, "all broken",
     "97"},
    {"too many descriptors after", right_success, [](Trial& t) { t.seen().after.count = 98; }, "all broken",
     "98"},
    {"too many descriptors at the end", right_success, [](Trial& t) { t.seen().end.count = 99; },
     "all broken", "99"},
    {"log too small", right_success, [](Trial& t) { t.evidence.dropped = 5; }, "all broken", "5"},
    {"log too small for a hang", right_failure_of_listen,
     [](Trial& t) {
       t.hang(Phase::Call);
       t.evidence.dropped = 5;
     },
     "RET-2 hang iut, rest unreached"},
    {"hang in the set-up", right_success, [](Trial& t) { t.hang(Phase::Prepare); }, "all broken",
     "--timeout"},
    {"crash in the set-up", right_success, [](Trial& t) { t.crash(Phase::Prepare); }, "all broken"},
    {"crash before the set-up", right_success, [](Trial& t) { t.crash(Phase::Born); }, "all broken"},
    {"crash after the call", right_failure_of_listen, [](Trial& t) { t.crash(Phase::After); }, "all broken"},
    {"out-of-memory killer", right_failure_of_listen, ends_by_signal<SIGKILL, Phase::Call>, "all broken",
     "SIGKILL"},
    {"terminated", right_failure_of_listen, ends_by_signal<SIGTERM, Phase::Teardown>, "all broken"},
    {"a provider call of another thread", right_failure_of_listen,
     [](Trial& t) { t.add("rdma_create_event_channel", kOther).flags |= RDMAFAULT_FOREIGN; }, "all broken",
     "rdma_create_event_channel"},
    {"an allocation of another thread", right_failure_of_listen,
     [](Trial& t) { t.add("malloc", kOther).flags |= RDMAFAULT_FOREIGN; }, ""},
    {"a provider call of another thread, for which the rule is too", right_failure_of_listen,
     [](Trial& t) {
       t.experiment.rules[0] = make_rule("rdma_listen:error=EADDRINUSE:thread=any");
       t.add("rdma_create_event_channel", kOther).flags |= RDMAFAULT_FOREIGN;
     },
     ""},
};

TEST(JudgeFrame, WithoutEvidenceEachClauseIsBroken) {
  expect_outcomes(kNoEvidence);
}

constexpr TrialRow kControls[] = {
    {"no child", right_failure_of_listen, [](Trial& t) { t.control->child_error = "fork: EAGAIN"; },
     "all broken", "EAGAIN"},
    {"set-up failed", right_failure_of_listen,
     [](Trial& t) { put(t.control->observation.broken, "no peer"); }, "all broken", "no peer"},
    {"did not return", right_failure_of_listen, [](Trial& t) { t.control->observation.returned = 0; },
     "all broken"},
    {"failed", right_failure_of_listen, [](Trial& t) { t.control->observation.code = -100002; }, "all broken",
     "-100002"},
    {"did not work", right_failure_of_listen, [](Trial& t) { t.control->observation.works = Works::No; },
     "all broken"},
    {"was not tried", right_failure_of_listen,
     [](Trial& t) { t.control->observation.works = Works::Unknown; }, "all broken"},
    {"crashed later", right_failure_of_listen,
     [](Trial& t) { t.control->observation.phase = Phase::Teardown; }, "all broken"},
    {"called past the shim", right_failure_of_listen,
     [](Trial& t) {
       for (rdmafault_record& record : t.control->records) record.module = kOther;
     },
     "all broken"},
    {"of threads", right_threads, [](Trial& t) { t.control->observation.code = -100002; }, "all broken"},
    {"none is needed", right_success, [](Trial& t) { t.control.reset(); }, ""},
};

TEST(JudgeFrame, FaultsNeedAControlThatSucceeds) {
  expect_outcomes(kControls);
}

// ---- A process that died or hung.

Trial right_success_where_either_may_come() {
  return right_success_above_a_fault();
}

constexpr TrialRow kDead[] = {
    {"crash in a call that must fail", right_failure_of_listen, [](Trial& t) { t.crash(Phase::Call); },
     "RET-2 crash iut, rest unreached", "librpma.so.0+0x1234"},
    {"crash in a call that must succeed", right_success, [](Trial& t) { t.crash(Phase::Call); },
     "RET-1 crash iut, rest unreached", "SIGSEGV"},
    {"abort", right_failure_of_listen, ends_by_signal<SIGABRT, Phase::Call>,
     "RET-2 crash iut, rest unreached", "SIGABRT"},
    {"bus error", right_failure_of_listen, ends_by_signal<SIGBUS, Phase::Call>,
     "RET-2 crash iut, rest unreached"},
    {"division by zero", right_failure_of_listen, ends_by_signal<SIGFPE, Phase::Call>,
     "RET-2 crash iut, rest unreached"},
    {"exit", right_failure_of_listen,
     [](Trial& t) {
       t.die(Phase::Call, {});
       t.seen().status = 3;
     },
     "RET-2 crash iut, rest unreached", "exit status 3"},
    {"exit as if all were well", right_success, [](Trial& t) { t.die(Phase::Call, {}); },
     "RET-1 crash iut, rest unreached", "exit status 0"},
    {"exception", right_failure_of_listen,
     [](Trial& t) {
       t.die(Phase::Call);
       put(t.seen().thrown, "out of luck");
     },
     "RET-2 crash iut, rest unreached", "out of luck"},
    {"crash in use", right_success, [](Trial& t) { t.crash(Phase::Use); }, "USE-1 crash iut, rest unreached"},
    {"crash in the shutdown", right_success, [](Trial& t) { t.crash(Phase::Undo); },
     "LEAK-5 crash iut, rest unreached"},
    {"crash in the next call", right_failure_of_listen, [](Trial& t) { t.crash(Phase::Again); },
     "AGAIN-1 crash iut, rest unreached"},
    {"crash in the teardown of a failure", right_failure_of_listen,
     [](Trial& t) { t.crash(Phase::Teardown); }, "AGAIN-1 crash iut, rest unreached"},
    {"crash in the teardown of a success", right_success, [](Trial& t) { t.crash(Phase::Teardown); },
     "LEAK-5 crash iut, rest unreached"},
    {"hang", right_failure_of_listen, [](Trial& t) { t.hang(Phase::Call); }, "RET-2 hang iut, rest unreached",
     "librpma.so.0+0x1234"},
    {"hang in use", right_success, [](Trial& t) { t.hang(Phase::Use); }, "USE-1 hang iut, rest unreached"},
    {"hang within a call of the shim", right_failure_of_listen,
     [](Trial& t) {
       t.hang(Phase::Call, {"librdmafault.so", "librdmacm.so.1", "librpma.so.0"});
     },
     "RET-2 hang rdmacm, rest unreached", "librdmacm.so.1+0x1234"},
    {"hang without a stack", right_failure_of_listen,
     [](Trial& t) {
       t.hang(Phase::Call, {});
       t.seen().stuck = place_in("librdmacm.so.1");
     },
     "RET-2 hang rdmacm, rest unreached", "librdmacm.so.1+0x1234"},
    {"hang in librdmacm", right_failure_of_listen,
     [](Trial& t) {
       t.hang(Phase::Call, {"libc.so.6", "librdmacm.so.1", "librpma.so.0"});
     },
     "RET-2 hang rdmacm, rest unreached"},
    {"hang in librdmacm, which the IUT calls without end", right_failure_of_listen,
     [](Trial& t) {
       for (int i = 0; i < 20; ++i) t.add("rdma_create_event_channel");
       t.hang(Phase::Call, {"librdmacm.so.1", "librpma.so.0"});
     },
     "RET-2 hang iut, rest unreached"},
    {"crash in librdmacm", right_failure_of_listen,
     [](Trial& t) {
       t.crash(Phase::Call, {"librdmacm.so.1", "librpma.so.0"});
     },
     "RET-2 crash rdmacm, rest unreached"},
    {"crash in the driver", right_failure_of_listen,
     [](Trial& t) {
       t.crash(Phase::Call, {"libmlx5-rdmav34.so", "libibverbs.so.1", "librpma.so.0"});
     },
     "RET-2 crash driver, rest unreached"},
    {"crash in libibverbs", right_failure_of_listen,
     [](Trial& t) {
       t.crash(Phase::Call, {"libc.so.6", "libibverbs.so.1", "librpma.so.0"});
     },
     "RET-2 crash ibverbs, rest unreached"},
    {"crash in librdmacm, which the IUT gave a released id", right_failure_of_listen,
     [](Trial& t) {
       set_argument(t.add("rdma_listen"), "id", kId);
       t.crash(Phase::Call, {"librdmacm.so.1", "librpma.so.0"});
     },
     "RET-2 crash iut, LEGAL-1 fail iut, rest unreached"},
    {"a fault below, and a crash there", right_failure_below,
     [](Trial& t) {
       t.crash(Phase::Call, {"librdmacm.so.1", "librpma.so.0"});
     },
     "RET-2 crash rdmacm, BELOW-1 none, LEGAL-1 none"},
    {"a fault below, and a crash in the IUT", right_failure_below, [](Trial& t) { t.crash(Phase::Call); },
     "RET-2 crash iut, rest unreached"},
    {"a fault below, and a crash in the next call", right_failure_below,
     [](Trial& t) { t.crash(Phase::Again); }, "AGAIN-1 crash iut, rest unreached"},
    {"a fault below, a success, and a crash in use", right_success_where_either_may_come,
     [](Trial& t) { t.crash(Phase::Use); }, "USE-1 crash iut, rest unreached"},
    {"a fault below, a success, and a crash in the teardown", right_success_where_either_may_come,
     [](Trial& t) { t.crash(Phase::Teardown, {"librdmacm.so.1"}); },
     "LEAK-5 crash rdmacm, BELOW-1 none, LEGAL-1 none"},
};

TEST(JudgeFrame, EndOfTheProcessBreaksTheClauseOfItsPhase) {
  expect_outcomes(kDead);
}

// ---- Faults that did not fire.

constexpr TrialRow kNotFired[] = {
    {"rule did not fire", right_failure_of_listen,
     [](Trial& t) {
       t.seen().rules[0] = {0, 0};
     },
     "all unreached", "rdma_listen:error=EADDRINUSE"},
    {"second rule did not fire", right_failure_of_listen,
     [](Trial& t) { t.experiment.rules.push_back(make_rule("rdma_destroy_id:error=EINVAL")); },
     "all unreached", "rdma_destroy_id"},
    {"a fault below did not fire", right_success_above_a_fault,
     [](Trial& t) {
       t.seen().rules[0] = {0, 0};
     },
     "all unreached"},
    {"a sweep's last rule fired", right_success_above_a_fault,
     [](Trial& t) { t.expectation.fires_nothing = true; }, "all unreached"},
    {"the condition did nothing", right_failure_under_a_condition,
     [](Trial& t) {
       make_fail(t.call("rdma_bind_addr"), 0);
       t.call("rdma_bind_addr").result = 0;
       t.seen().code = 0;
     },
     "all unreached", "port-busy"},
    {"the condition made a call of the IUT fail, which returned 0", right_failure_under_a_condition,
     [](Trial& t) { t.seen().code = 0; },
     "RET-2 fail iut, REAL-1 fail iut, EPPTR-1 none, LEAK-1 none, LEAK-2 none, LEAK-3 none, AGAIN-1 none, "
     "LEAK-4 none"},
};

TEST(JudgeFrame, WithoutItsFaultEachClauseIsUnreached) {
  expect_outcomes(kNotFired);
}

// ---- LISTEN-LEGAL-1 where the process came to its end.

constexpr TrialRow kLegality[] = {
    {"channel destroyed twice", right_failure_of_listen,
     [](Trial& t) { t.add("rdma_destroy_event_channel").released = kChannel; }, "LEGAL-1 fail iut"},
    {"channel before its id", right_failure_of_listen,
     [](Trial& t) { std::swap(t.call("rdma_destroy_id"), t.call("rdma_destroy_event_channel")); },
     "LEGAL-1 fail iut", "rdma_destroy_event_channel"},
    {"id destroyed twice by the shutdown", right_success,
     [](Trial& t) { t.add_to_undo("rdma_destroy_id").released = kId; }, "LEGAL-1 fail iut",
     "rdma_destroy_id"},
    {"id used after the shutdown", right_success,
     [](Trial& t) { set_argument(t.add_to_undo("rdma_bind_addr"), "id", kId); }, "LEGAL-1 fail iut"},
    {"no shutdown is judged before there was one", right_success,
     [](Trial& t) {
       t.add_to_undo("rdma_destroy_id").released = kId;
       t.seen().undone = 0;
     },
     "LEAK-5 none"},
    {"the mock's expectations", right_failure_of_listen_on_mock,
     [](Trial& t) {
       t.seen().mock.failures = 2;
       std::string_view("first\nsecond").copy(t.seen().mock.text, sizeof(t.seen().mock.text) - 1);
     },
     "LEGAL-1 fail iut", "2"},
};

TEST(JudgeFrame, MisuseOfTheProviderIsIllegal) {
  expect_outcomes(kLegality);
}

}  // namespace
}  // namespace conformance
