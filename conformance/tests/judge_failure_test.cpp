// SPDX-License-Identifier: BSD-3-Clause
//
// What a failure promises (judge_failure.cpp): the code (RET-2, PROVIDER-n, NOMEM-1, INVAL-n, REAL-1,
// BELOW-1), no provider call for a NULL argument (INVAL-5), no store (EPPTR-1), nothing left (LEAK-1 to
// LEAK-4), and that the next call works (AGAIN-1).
#include <gtest/gtest.h>
#include <librpma.h>

#include <cerrno>

#include "conformance/tests/trial.h"

namespace conformance {
namespace {

constexpr const char* kNoneAfterSuccess =
    "EPPTR-1 none, LEAK-1 none, LEAK-2 none, LEAK-3 none, AGAIN-1 none, LEAK-4 none";

Trial listen_fails() {
  return right_failure();
}
Trial malloc_fails() {
  return right_failure("malloc");
}

Trial listen_fails_on_mock() {
  Trial trial = right_failure();
  use_mock(trial);
  return trial;
}

Trial fails_for_good() {
  Trial trial = right_failure_under_a_condition();
  trial.expectation.lasts = true;
  trial.seen().again = 0;
  trial.seen().again_works = Works::Unknown;
  return trial;
}

Trial fails_in_a_cold_process() {
  Trial trial = right_failure();
  trial.experiment.start = Start::Cold;
  return trial;
}

// ---- Codes.

template <int Code>
void returns(Trial& trial) {
  trial.seen().code = Code;
}

const std::string kZero = std::string("RET-2 fail iut, PROVIDER-5 fail iut, ") + kNoneAfterSuccess;

const TrialRow kCodes[] = {
    {"0", listen_fails, returns<0>, kZero.c_str()},
    {"positive", listen_fails, returns<5>, "RET-2 fail iut, PROVIDER-5 fail iut", "5"},
    {"another negative one", listen_fails, returns<RPMA_E_UNKNOWN>, "PROVIDER-5 fail iut", "RPMA_E_UNKNOWN"},
    {"-errno", listen_fails, returns<-EADDRINUSE>, "PROVIDER-5 fail iut"},
    {"RPMA_E_PROVIDER for want of memory", malloc_fails, returns<RPMA_E_PROVIDER>, "NOMEM-1 fail iut",
     "RPMA_E_NOMEM"},
    {"RPMA_E_PROVIDER for NULL", right_refusal, returns<RPMA_E_PROVIDER>, "INVAL-1 fail iut"},
    {"RPMA_E_AGAIN under a condition", right_failure_under_a_condition, returns<RPMA_E_AGAIN>,
     "REAL-1 fail iut"},
    {"below: RPMA_E_PROVIDER", right_failure_below, returns<RPMA_E_PROVIDER>, ""},
    {"below: RPMA_E_NOMEM", right_failure_below, returns<RPMA_E_NOMEM>, ""},
    {"below: RPMA_E_INVAL", right_failure_below, returns<RPMA_E_INVAL>, ""},
    {"below: a code that the page does not name", right_failure_below, returns<RPMA_E_UNKNOWN>,
     "BELOW-1 fail iut", "RPMA_E_UNKNOWN"},
    {"below: positive", right_failure_below, returns<1>, "RET-2 fail iut, BELOW-1 fail iut"},
};

TEST(JudgeFailure, CodeIsTheOneThatIsPromised) {
  expect_outcomes(kCodes);
}

constexpr TrialRow kSilence[] = {
    {"a provider call before the check", right_refusal,
     [](Trial& t) {
       t.add("rdma_create_event_channel").acquired = kChannel;
       t.add("rdma_destroy_event_channel").released = kChannel;
     },
     "INVAL-5 fail iut", "rdma_create_event_channel"},
    {"an allocation before the check", right_refusal,
     [](Trial& t) {
       t.add("malloc").acquired = kBlock;
       t.add("free").released = kBlock;
     },
     ""},
};

TEST(JudgeFailure, NullIsNoticedBeforeTheProviderIsAsked) {
  expect_outcomes(kSilence);
}

// ---- Stores to *ep_ptr.

void store(Trial& trial, std::string_view by, uint64_t value, uint64_t in_the_end) {
  Observation& seen = trial.seen();
  seen.store.at(seen.stores++) = {place_in(by), kSentinel, value};
  seen.out_after = in_the_end;
}

constexpr TrialRow kStores[] = {
    {"NULL", listen_fails, [](Trial& t) { store(t, "librpma.so.0", 0, 0); }, "EPPTR-1 fail iut",
     "librpma.so.0+0x1234"},
    {"a pointer", listen_fails, [](Trial& t) { store(t, "librpma.so.0", kEndpoint, kEndpoint); },
     "EPPTR-1 fail iut", "librpma.so.0+0x1234"},
    {"undone", listen_fails, [](Trial& t) { store(t, "librpma.so.0", 0, kSentinel); }, "EPPTR-1 fail iut",
     "librpma.so.0+0x1234"},
    {"by memcpy, for the IUT", listen_fails, [](Trial& t) { store(t, "libc.so.6", 0, 0); },
     "EPPTR-1 fail iut"},
    {"by librdmacm", listen_fails, [](Trial& t) { store(t, "librdmacm.so.1", 0, 0); }, "EPPTR-1 fail rdmacm"},
    {"unseen", listen_fails, [](Trial& t) { t.seen().out_after = 0; }, "EPPTR-1 fail iut"},
    {"more than were kept", listen_fails,
     [](Trial& t) {
       store(t, "librpma.so.0", 0, kSentinel);
       t.seen().stores = 1'000'000;
     },
     "EPPTR-1 fail iut"},
    {"for want of an out-parameter none is judged", right_refusal,
     [](Trial& t) {
       t.seen().has_out = 0;
       t.seen().out_after = 0;
     },
     "EPPTR-1 none"},
};

TEST(JudgeFailure, NothingIsEverStored) {
  expect_outcomes(kStores);
}

// ---- What is left.

void destroy_of_id_fails_by_rule(Trial& trial) {
  inject_failure(trial.call("rdma_destroy_id"), EINVAL);
}

void leave_open(Trial& trial, int32_t number, std::string_view target) {
  open_descriptor(trial.seen().after, number, target);
}

void opened_by(Trial& trial, int32_t number, Caller caller) {
  rdmafault_record& record = trial.add("openat", caller);
  record.result = number;
}

constexpr TrialRow kHandlesAndBlocks[] = {
    {"channel", listen_fails, [](Trial& t) { t.forget("rdma_destroy_event_channel"); }, "LEAK-1 fail iut",
     "rdma_create_event_channel"},
    {"id", listen_fails, [](Trial& t) { t.forget("rdma_destroy_id"); }, "LEAK-1 fail iut, LEGAL-1 fail iut",
     "rdma_create_id"},
    {"address result", listen_fails, [](Trial& t) { t.forget("rdma_freeaddrinfo"); }, "LEAK-1 fail iut",
     "rdma_getaddrinfo"},
    {"block", listen_fails, [](Trial& t) { t.forget("free"); }, "LEAK-2 fail iut", "malloc"},
    {"a block of librdmacm", listen_fails, [](Trial& t) { t.add("malloc", kRdmacm).acquired = 0x700; }, ""},
    {"a block of libc", listen_fails, [](Trial& t) { t.add("malloc", kLibc).acquired = 0x700; }, ""},
    {"ruling 7: the id whose release fails is excused", listen_fails, destroy_of_id_fails_by_rule, ""},
    {"ruling 7: nothing else is", listen_fails,
     [](Trial& t) {
       destroy_of_id_fails_by_rule(t);
       t.forget("rdma_freeaddrinfo");
     },
     "LEAK-1 fail iut", "rdma_getaddrinfo"},
    {"a release that fails by itself", listen_fails,
     [](Trial& t) { make_fail(t.call("rdma_destroy_id"), EINVAL); }, "LEAK-1 fail iut, LEGAL-1 fail iut"},
    {"of librdmacm, after a fault there", right_failure_below,
     [](Trial& t) { t.add("rdma_create_event_channel", kRdmacm).acquired = 0x700; }, "LEAK-1 fail rdmacm"},
    {"of librdmacm and of the IUT", right_failure_below,
     [](Trial& t) {
       t.add("rdma_create_event_channel", kRdmacm).acquired = 0x700;
       t.forget("rdma_destroy_event_channel");
     },
     "LEAK-1 fail iut"},
    {"of librdmacm, after a fault of the IUT's own call", listen_fails,
     [](Trial& t) { t.add("rdma_create_event_channel", kRdmacm).acquired = 0x700; }, "LEAK-1 fail iut"},
    {"of librdmacm, under a condition", right_failure_under_a_condition,
     [](Trial& t) { t.add("rdma_create_event_channel", kRdmacm).acquired = 0x700; }, "LEAK-1 fail rdmacm"},
};

TEST(JudgeFailure, HandlesAndBlocksAreGivenBack) {
  expect_outcomes(kHandlesAndBlocks);
}

constexpr TrialRow kDescriptors[] = {
    {"one", listen_fails, [](Trial& t) { leave_open(t, 7, "/etc/hosts"); }, "LEAK-3 fail iut", "/etc/hosts"},
    {"as many, but another", listen_fails,
     [](Trial& t) { put(t.seen().after.descriptors[2].target, "/etc/hosts"); }, "LEAK-3 fail iut",
     "1 x /etc/hosts"},
    {"one fewer", listen_fails, [](Trial& t) { t.seen().after.count = 2; }, ""},
    {"of an excused channel", listen_fails,
     [](Trial& t) {
       t.call("rdma_destroy_event_channel").flags |= RDMAFAULT_INJECTED;
       leave_open(t, 7, kRdmaDevice);
     },
     ""},
    {"one more than the excused channel's", listen_fails,
     [](Trial& t) {
       t.call("rdma_destroy_event_channel").flags |= RDMAFAULT_INJECTED;
       leave_open(t, 7, kRdmaDevice);
       leave_open(t, 8, kRdmaDevice);
     },
     "LEAK-3 fail iut", "1 x /dev/infiniband/rdma_cm"},
    {"what libraries keep on first use", fails_in_a_cold_process,
     [](Trial& t) {
       leave_open(t, 7, "/dev/infiniband/uverbs0");
       open_descriptor(t.control->observation.end, 7, "/dev/infiniband/uverbs0");
     },
     ""},
    {"more than libraries keep on first use", fails_in_a_cold_process,
     [](Trial& t) {
       leave_open(t, 7, "/dev/infiniband/uverbs0");
       leave_open(t, 8, "/dev/infiniband/uverbs0");
       open_descriptor(t.control->observation.end, 7, "/dev/infiniband/uverbs0");
     },
     "LEAK-3 fail iut", "1 x "},
    {"in a used process that is no excuse", listen_fails,
     [](Trial& t) {
       leave_open(t, 7, "/dev/infiniband/uverbs0");
       open_descriptor(t.control->observation.end, 7, "/dev/infiniband/uverbs0");
     },
     "LEAK-3 fail iut"},
    {"after a fault below: of the module with the fault", right_failure_below,
     [](Trial& t) { leave_open(t, 7, "socket:[1]"); }, "LEAK-3 fail rdmacm"},
    {"after a fault below: opened by the IUT", right_failure_below,
     [](Trial& t) {
       opened_by(t, 7, kIut);
       leave_open(t, 7, "socket:[1]");
     },
     "LEAK-3 fail iut"},
    {"after a fault below: opened by the IUT, closed, and opened by librdmacm", right_failure_below,
     [](Trial& t) {
       opened_by(t, 7, kIut);
       opened_by(t, 7, kRdmacm);
       leave_open(t, 7, "socket:[1]");
     },
     "LEAK-3 fail rdmacm"},
    {"after a fault below: another number was the IUT's", right_failure_below,
     [](Trial& t) {
       opened_by(t, 8, kIut);
       leave_open(t, 7, "socket:[1]");
     },
     "LEAK-3 fail rdmacm"},
    {"after a fault below: an open of the IUT's that failed", right_failure_below,
     [](Trial& t) {
       opened_by(t, 7, kIut);
       t.call("openat").error = EMFILE;
       leave_open(t, 7, "socket:[1]");
     },
     "LEAK-3 fail rdmacm"},
    {"after a fault below: one that was open before", right_failure_below,
     [](Trial& t) {
       opened_by(t, 2, kIut);
       leave_open(t, 7, "/dev/null");
     },
     "LEAK-3 fail rdmacm"},
    {"after a fault below: together with a handle of the IUT's", right_failure_below,
     [](Trial& t) {
       t.forget("rdma_destroy_event_channel");
       opened_by(t, 7, kRdmacm);
       leave_open(t, 7, kRdmaDevice);
     },
     "LEAK-1 fail iut, LEAK-3 fail iut"},
    {"under a condition", right_failure_under_a_condition, [](Trial& t) { leave_open(t, 7, "socket:[1]"); },
     "LEAK-3 fail rdmacm"},
    {"under a condition, by an IUT that keeps some without a fault too", right_failure_under_a_condition,
     [](Trial& t) {
       std::erase_if(t.control->records, [](const auto& record) { return record.released == kChannel; });
       leave_open(t, 7, kRdmaDevice);
     },
     "LEAK-3 fail iut"},
};

TEST(JudgeFailure, DescriptorsAreClosed) {
  expect_outcomes(kDescriptors);
}

template <int Before, int After>
void kernel_lists(Trial& trial) {
  trial.seen().before.cm_ids = Before;
  trial.seen().after.cm_ids = After;
}

constexpr TrialRow kKernelIds[] = {
    {"as many", listen_fails, kernel_lists<2, 2>, ""},
    {"one more", listen_fails, kernel_lists<2, 3>, "LEAK-4 fail iut", "3"},
    {"one fewer", listen_fails, kernel_lists<2, 1>, "LEAK-4 fail iut", "1"},
    {"one fewer where the device is gone", fails_for_good, kernel_lists<2, 1>, ""},
    {"one more where the device is gone", fails_for_good, kernel_lists<2, 3>, "LEAK-4 fail rdmacm"},
    {"of a fault below", right_failure_below, kernel_lists<0, 1>, "LEAK-4 fail rdmacm"},
    {"unknown before", listen_fails, kernel_lists<-1, 0>, "LEAK-4 unsupported"},
    {"unknown after", listen_fails, kernel_lists<0, -1>, "LEAK-4 unsupported"},
    {"a control that it does not list", listen_fails,
     [](Trial& t) { t.control->observation.after.cm_ids = 0; }, "LEAK-4 unsupported"},
    {"no control", listen_fails, [](Trial& t) { t.control.reset(); }, "LEAK-4 unsupported"},
    {"excused with its channel", listen_fails,
     [](Trial& t) {
       kernel_lists<2, 3>(t);
       destroy_of_id_fails_by_rule(t);
       t.call("rdma_destroy_event_channel").flags |= RDMAFAULT_INJECTED;
       leave_open(t, 7, kRdmaDevice);
     },
     ""},
    {"excused without its channel, with which the kernel drops it", listen_fails,
     [](Trial& t) {
       kernel_lists<2, 3>(t);
       destroy_of_id_fails_by_rule(t);
     },
     "LEAK-4 fail iut"},
    {"the mock has no kernel", listen_fails_on_mock, kernel_lists<2, 3>, ""},
};

TEST(JudgeFailure, KernelListsNoMoreIds) {
  expect_outcomes(kKernelIds);
}

// ---- The next call.

void next_bind_really_fails(Trial& trial) {
  Observation& seen = trial.seen();
  trial.evidence.records.push_back(call_of("rdma_bind_addr"));
  make_fail(trial.evidence.records.back(), EADDRINUSE);
  seen.again_last = static_cast<uint32_t>(trial.evidence.records.size());
  seen.again_code = RPMA_E_PROVIDER;
  seen.again_works = Works::Unknown;
}

constexpr TrialRow kAgain[] = {
    {"fails", listen_fails, [](Trial& t) { t.seen().again_code = RPMA_E_PROVIDER; }, "AGAIN-1 fail iut",
     "RPMA_E_PROVIDER"},
    {"does not work", listen_fails,
     [](Trial& t) {
       t.seen().again_works = Works::No;
       put(t.seen().again_text, "timed out");
     },
     "AGAIN-1 fail iut", "timed out"},
    {"does not work, after a fault below", right_failure_below,
     [](Trial& t) {
       t.seen().again_works = Works::No;
       put(t.seen().again_text, "timed out");
     },
     "AGAIN-1 fail rdmacm"},
    {"was not tried", listen_fails, [](Trial& t) { t.seen().again_works = Works::Unknown; },
     "AGAIN-1 broken"},
    {"the client failed", listen_fails,
     [](Trial& t) {
       t.seen().again_works = Works::Unknown;
       put(t.seen().again_text, "rdma_create_qp: ENOMEM");
     },
     "AGAIN-1 broken", "ENOMEM"},
    {"the surroundings fail", listen_fails, next_bind_really_fails, "AGAIN-1 broken", "rdma_bind_addr"},
    {"the surroundings fail, spoilt by a fault below", right_failure_below, next_bind_really_fails,
     "AGAIN-1 fail rdmacm", "rdma_bind_addr"},
    {"the surroundings fail, spoilt by a condition", right_failure_under_a_condition, next_bind_really_fails,
     "AGAIN-1 fail rdmacm"},
    {"the surroundings fail, perhaps for what the IUT left", right_failure_below,
     [](Trial& t) {
       t.forget("rdma_destroy_event_channel");
       next_bind_really_fails(t);
     },
     "LEAK-1 fail iut, AGAIN-1 broken"},
    {"none where the device is gone", fails_for_good, [](Trial& t) { t.seen().again_code = RPMA_E_PROVIDER; },
     ""},
};

TEST(JudgeFailure, NextCallWorks) {
  expect_outcomes(kAgain);
}

}  // namespace
}  // namespace conformance
