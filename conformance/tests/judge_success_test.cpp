// SPDX-License-Identifier: BSD-3-Clause
//
// What a success promises (judge_success.cpp): that it comes (RET-1), the endpoint (EPPTR-2), that it works
// (USE-1; BELOW-1 above a fault), what was asked of the provider (USE-2 to USE-4), and that the shutdown
// gives all back (LEAK-5).
#include <gtest/gtest.h>
#include <librpma.h>

#include <cerrno>

#include "conformance/tests/trial.h"

namespace conformance {
namespace {


Trial right_cold_success() {
  Trial trial = right_success();
  trial.experiment.start = Start::Cold;
  return trial;
}

// ---- A call that must succeed and is refused.

void refuse(Trial& trial) {
  Observation& seen = trial.seen();
  make_fail(trial.call("rdma_bind_addr"), EADDRINUSE);
  seen.code = RPMA_E_PROVIDER;
  seen.out_after = seen.out_before;
  seen.undone = 0;
}

constexpr TrialRow kRefused[] = {
    {"nothing failed underneath", right_success, [](Trial& t) { t.seen().code = RPMA_E_UNKNOWN; },
     "RET-1 fail iut, EPPTR-2 none, USE-1 none, LEAK-5 none", "RPMA_E_UNKNOWN"},
    {"positive", right_success, [](Trial& t) { t.seen().code = 1; },
     "RET-1 fail iut, EPPTR-2 none, USE-1 none, LEAK-5 none"},
    {"what it asked for is judged all the same", right_success,
     [](Trial& t) {
       t.seen().code = RPMA_E_UNKNOWN;
       set_argument(t.call("rdma_getaddrinfo"), "flags", 0);
     },
     "RET-1 fail iut, USE-4 fail iut, EPPTR-2 none, USE-1 none, LEAK-5 none"},
    {"the mock refuses nothing that is right", right_success,
     [](Trial& t) {
       use_mock(t);
       refuse(t);
     },
     "RET-1 fail iut, EPPTR-2 none, USE-1 none, LEAK-5 none", "rdma_bind_addr"},
    {"but under a condition it may", right_success,
     [](Trial& t) {
       use_mock(t);
       t.experiment.condition = "port-busy";
       refuse(t);
     },
     "RET-1 broken, EPPTR-2 none, USE-1 none, LEAK-5 none"},
    {"had without the IUT", right_success,
     [](Trial& t) {
       refuse(t);
       t.seen().without_iut = Works::Yes;
     },
     "RET-1 fail iut, EPPTR-2 none, USE-1 none, LEAK-5 none", "rdma_bind_addr"},
    {"not to be had without the IUT either", right_success,
     [](Trial& t) {
       refuse(t);
       t.seen().without_iut = Works::No;
       put(t.seen().without_iut_text, "rdma_listen: EADDRINUSE");
     },
     "RET-1 broken, EPPTR-2 none, USE-1 none, LEAK-5 none", "rdma_listen: EADDRINUSE"},
    {"not tried without the IUT", right_success, refuse,
     "RET-1 broken, EPPTR-2 none, USE-1 none, LEAK-5 none", "EADDRINUSE"},
    {"a refusal, and the wrong port space", right_success,
     [](Trial& t) {
       refuse(t);
       set_argument(t.call("rdma_create_id"), "port_space", RDMA_PS_UDP);
     },
     "RET-1 broken, USE-2 fail iut, EPPTR-2 none, USE-1 none, LEAK-5 none"},
    {"a provider call that failed and was made again", right_success,
     [](Trial& t) { make_fail(t.add("rdma_create_event_channel"), EMFILE); }, ""},
};

TEST(JudgeSuccess, RefusalIsTheIutsOrItsSurroundings) {
  expect_outcomes(kRefused);
}

// ---- The endpoint.

constexpr TrialRow kEndpoints[] = {
    {"NULL", right_success, [](Trial& t) { t.seen().out_after = 0; },
     "EPPTR-2 fail iut, USE-1 none, LEAK-5 none"},
    {"as it was", right_success, [](Trial& t) { t.seen().out_after = t.seen().out_before; },
     "EPPTR-2 fail iut, USE-1 none, LEAK-5 none"},
    {"does not work", right_success,
     [](Trial& t) {
       t.seen().works = Works::No;
       put(t.seen().use_text, "REJECTED");
     },
     "USE-1 fail iut", "REJECTED"},
    {"was not used", right_success, [](Trial& t) { t.seen().works = Works::Unknown; }, "USE-1 broken"},
    {"the client failed", right_success,
     [](Trial& t) {
       t.seen().works = Works::Unknown;
       put(t.seen().use_text, "rdma_create_qp: ENOMEM");
     },
     "USE-1 broken", "ENOMEM"},
    {"above a fault: NULL", right_success_above_a_fault, [](Trial& t) { t.seen().out_after = 0; },
     "BELOW-1 fail iut"},
    {"above a fault: as it was", right_success_above_a_fault,
     [](Trial& t) { t.seen().out_after = t.seen().out_before; }, "BELOW-1 fail iut"},
    {"above a fault: does not work", right_success_above_a_fault,
     [](Trial& t) {
       t.seen().works = Works::No;
       put(t.seen().use_text, "REJECTED");
     },
     "BELOW-1 fail rdmacm", "REJECTED"},
    {"above a fault that the provider reported: does not work", right_success_above_a_fault,
     [](Trial& t) {
       t.seen().works = Works::No;
       put(t.seen().use_text, "REJECTED");
       make_fail(t.call("rdma_listen"), ENOMEM);
     },
     "BELOW-1 fail iut"},
    {"above a fault: was not used", right_success_above_a_fault,
     [](Trial& t) { t.seen().works = Works::Unknown; }, "BELOW-1 broken"},
    {"above a fault: what is left is its module's", right_success_above_a_fault,
     [](Trial& t) { open_descriptor(t.seen().end, 7, "socket:[1]"); }, "LEAK-5 fail rdmacm"},
};

TEST(JudgeSuccess, EndpointIsNewAndWorks) {
  expect_outcomes(kEndpoints);
}

// ---- What was asked for.

template <int64_t Type, int64_t Space>
void hints(Trial& trial) {
  rdmafault_record& call = trial.call("rdma_getaddrinfo");
  set_argument(call, "qp_type", Type);
  set_argument(call, "port_space", Space);
}

constexpr TrialRow kAskedFor[] = {
    {"an id for RDMA_PS_UDP", right_success,
     [](Trial& t) { set_argument(t.call("rdma_create_id"), "port_space", RDMA_PS_UDP); }, "USE-2 fail iut",
     "0x111"},
    {"no id", right_success, [](Trial& t) { t.call("rdma_create_id").module = kRdmacm; }, "USE-2 unreached",
     "rdma_create_id"},
    {"no address", right_success, [](Trial& t) { t.call("rdma_getaddrinfo").module = kRdmacm; },
     "USE-3 unreached, USE-4 unreached", "rdma_getaddrinfo"},
    {"RC", right_success, hints<IBV_QPT_RC, 0>, ""},
    {"RDMA_PS_TCP", right_success, hints<0, RDMA_PS_TCP>, ""},
    {"neither", right_success, hints<0, 0>, "USE-3 fail iut"},
    {"UD", right_success, hints<IBV_QPT_UD, 0>, "USE-3 fail iut"},
    {"UC and RDMA_PS_TCP", right_success, hints<IBV_QPT_UC, RDMA_PS_TCP>, "USE-3 fail iut"},
    {"RC and RDMA_PS_UDP", right_success, hints<IBV_QPT_RC, RDMA_PS_UDP>, "USE-3 fail iut"},
    {"the active side", right_success, [](Trial& t) { set_argument(t.call("rdma_getaddrinfo"), "flags", 0); },
     "USE-4 fail iut", "RAI_PASSIVE"},
    {"RAI_NUMERICHOST instead", right_success,
     [](Trial& t) { set_argument(t.call("rdma_getaddrinfo"), "flags", RAI_NUMERICHOST); }, "USE-4 fail iut"},
    {"RAI_NUMERICHOST too", right_success,
     [](Trial& t) { set_argument(t.call("rdma_getaddrinfo"), "flags", RAI_PASSIVE | RAI_NUMERICHOST); }, ""},
};

TEST(JudgeSuccess, ProviderIsAskedForAReliablePassiveService) {
  expect_outcomes(kAskedFor);
}

// ---- What the shutdown gives back.

void open_at_end(Trial& trial, int32_t number, std::string_view target) {
  open_descriptor(trial.seen().end, number, target);
}

constexpr TrialRow kShutdown[] = {
    {"channel", right_success, [](Trial& t) { t.forget("rdma_destroy_event_channel"); }, "LEAK-5 fail iut",
     "rdma_create_event_channel"},
    {"address result", right_success, [](Trial& t) { t.forget("rdma_freeaddrinfo"); }, "LEAK-5 fail iut",
     "rdma_getaddrinfo"},
    {"block", right_success, [](Trial& t) { t.forget("free"); }, "LEAK-5 fail iut", "malloc"},
    {"the shutdown fails", right_success, [](Trial& t) { t.seen().undo_code = RPMA_E_PROVIDER; },
     "LEAK-5 fail iut", "RPMA_E_PROVIDER"},
    {"no shutdown", right_success, [](Trial& t) { t.seen().undone = 0; }, "LEAK-5 none"},
    {"descriptor", right_success, [](Trial& t) { open_at_end(t, 7, "/etc/hosts"); }, "LEAK-5 fail iut",
     "/etc/hosts"},
    {"descriptor in a cold process", right_cold_success, [](Trial& t) { open_at_end(t, 7, "/etc/hosts"); },
     ""},
    {"cm_ids in the kernel", right_success, [](Trial& t) { t.seen().end.cm_ids = 2; }, "LEAK-5 fail iut",
     "2 cm_ids"},
    {"cm_ids in the kernel in a cold process", right_cold_success, [](Trial& t) { t.seen().end.cm_ids = 2; },
     ""},
    {"ruling 7: an id, its channel and what hangs on both", right_success,
     [](Trial& t) {
       inject_failure(t.call("rdma_destroy_id"), EINVAL);
       t.call("rdma_destroy_event_channel").flags |= RDMAFAULT_INJECTED;
       open_at_end(t, 7, kRdmaDevice);
       t.seen().end.cm_ids = 1;
     },
     ""},
    {"of librdmacm, which opened it", right_success,
     [](Trial& t) {
       t.add("openat", kRdmacm).result = 7;
       open_at_end(t, 7, "socket:[1]");
     },
     "LEAK-5 fail rdmacm"},
    {"of librdmacm, beside the IUT's", right_success,
     [](Trial& t) {
       t.add("openat", kRdmacm).result = 7;
       open_at_end(t, 7, "socket:[1]");
       t.forget("rdma_destroy_event_channel");
     },
     "LEAK-5 fail iut"},
    {"a handle of librdmacm", right_success,
     [](Trial& t) { t.add("rdma_create_event_channel", kRdmacm).acquired = 0x700; }, "LEAK-5 fail rdmacm"},
    {"a handle of librdmacm, and a shutdown that fails", right_success,
     [](Trial& t) {
       t.add("rdma_create_event_channel", kRdmacm).acquired = 0x700;
       t.seen().undo_code = RPMA_E_PROVIDER;
     },
     "LEAK-5 fail iut"},
    {"a block above a fault", right_success_above_a_fault, [](Trial& t) { t.forget("free"); },
     "LEAK-5 fail iut"},
};

TEST(JudgeSuccess, ShutdownGivesAllBack) {
  expect_outcomes(kShutdown);
}

}  // namespace
}  // namespace conformance
