// SPDX-License-Identifier: BSD-3-Clause
//
// Which clause the first fault of an experiment decides on.
#include "conformance/harness/expectations.h"

#include <librpma.h>

#include <ostream>

#include "conformance/harness/listen_operation.h"
#include "conformance/tests/evidence.h"

namespace conformance {
namespace {

struct ExpectationRow {
  const char* rule;
  const char* function;  // of the call that fails
  const char* module;    // its caller
  Promise promise;
  int code;
  const char* clause;  // on the code; empty: none
};

void PrintTo(const ExpectationRow& row, std::ostream* out) {
  *out << row.rule;
}

const ExpectationRow kExpectationRows[] = {
    {"malloc:error=ENOMEM:caller=@iut", "malloc", "libiut.so", Promise::Failure, RPMA_E_NOMEM,
     "LISTEN-NOMEM-1"},
    {"allocation:error=ENOMEM:caller=@iut", "calloc", "libiut.so", Promise::Failure, RPMA_E_NOMEM,
     "LISTEN-NOMEM-1"},
    {"malloc:error=ENOMEM:caller=@rdmacm", "malloc", "libcm.so", Promise::Either, 0, ""},
    {"rdma_create_event_channel:error=EMFILE:caller=@iut", "rdma_create_event_channel", "libiut.so",
     Promise::Failure, RPMA_E_PROVIDER, "LISTEN-PROVIDER-1"},
    {"rdma_create_id:error=ENOMEM:caller=@iut", "rdma_create_id", "libiut.so", Promise::Failure,
     RPMA_E_PROVIDER, "LISTEN-PROVIDER-2"},
    {"rdma_getaddrinfo:retval=EAI_NONAME:caller=@iut", "rdma_getaddrinfo", "libiut.so", Promise::Failure,
     RPMA_E_PROVIDER, "LISTEN-PROVIDER-3"},
    {"rdma_bind_addr:error=EADDRINUSE:caller=@iut", "rdma_bind_addr", "libiut.so", Promise::Failure,
     RPMA_E_PROVIDER, "LISTEN-PROVIDER-4"},
    {"rdma_listen:error=EADDRINUSE:caller=@iut", "rdma_listen", "libiut.so", Promise::Failure,
     RPMA_E_PROVIDER, "LISTEN-PROVIDER-5"},
    {"rdma_listen:error=EADDRINUSE:caller=@rdmacm", "rdma_listen", "libcm.so", Promise::Either, 0, ""},
    {"rdma_destroy_id:error=EINVAL:caller=@iut", "rdma_destroy_id", "libiut.so", Promise::Either, 0, ""},
    {"write:error=EIO:caller=@rdmacm", "write", "libcm.so", Promise::Either, 0, ""},
};

class Expectations : public EvidenceTest, public testing::WithParamInterface<ExpectationRow> {
 protected:
  Expectations() {
    add_role("iut", "libiut.so");
    add_role("rdmacm", "libcm.so");
    add_caller("libiut.so");
    add_caller("libcm.so");
  }

  static void expect_row(const Expectation& expectation) {
    const ExpectationRow& row = GetParam();
    EXPECT_EQ(expectation.promise, row.promise);
    if (row.promise != Promise::Failure) return;
    EXPECT_EQ(expectation.code, row.code);
    ASSERT_EQ(expectation.code_clauses.size(), 1U);
    EXPECT_EQ(expectation.code_clauses.front(), row.clause);
  }
};

TEST_P(Expectations, FollowFromTheFirstFault) {
  call("rdma_create_event_channel");  // it succeeded
  rdmafault_record& failed = call(GetParam().function);
  failed.module = std::string_view(GetParam().module) == "libiut.so" ? 0 : 1;
  failed.flags |= RDMAFAULT_INJECTED;
  rdmafault_record& later = call("malloc");
  later.flags |= RDMAFAULT_INJECTED;
  expect_row(ruled_by_first_fault(library_, evidence_));
}

TEST_P(Expectations, FollowFromTheFirstRule) {
  const Experiment experiment{
      listen_operation(), Start::Primed, Sentinel::Null, {make_rule(GetParam().rule)}};
  expect_row(ruled_beforehand(experiment));
}

INSTANTIATE_TEST_SUITE_P(Rows, Expectations, testing::ValuesIn(kExpectationRows));

TEST_F(EvidenceTest, WithoutAFaultASuccessIsExpected) {
  EXPECT_EQ(ruled_by_first_fault(library_, evidence_).promise, Promise::Success);
  EXPECT_EQ(ruled_beforehand({listen_operation()}).promise, Promise::Success);
}

}  // namespace
}  // namespace conformance
