// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) where nothing fails. Judges:
//   LISTEN-RET-1    0 is returned
//   LISTEN-EPPTR-2  *ep_ptr is the new endpoint
//   LISTEN-USE-1    a client can connect to it
//   LISTEN-USE-2    RDMA_PS_TCP was requested
//   LISTEN-USE-3    a reliable, connection-oriented service was requested
//   LISTEN-USE-4    the passive side was requested
//   LISTEN-LEAK-5   after rpma_ep_shutdown everything is released
//   LISTEN-LEGAL-1  the provider was called as its man pages allow
#include "conformance/harness/listen_operation.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

struct SuccessRow {
  Setting setting;
  const char* name;
  const char* what;
};
constexpr SuccessRow kSuccessRows[] = {
    {{Start::Cold, Sentinel::Null},
     "FirstListenOfAProcessSucceeds",
     "A listen in a process in which librdmacm was never called gives an endpoint that a client's request "
     "reaches."},
    {{Start::Primed, Sentinel::Wild},
     "ListenSucceeds",
     "A listen gives an endpoint that a client can connect to."},
    {{Start::Warm, Sentinel::Live},
     "ListenBesideAnotherEndpointSucceeds",
     "A listen beside a live endpoint gives another one that a client can connect to."},
};

}  // namespace

std::vector<Test> listen_success_tests() {
  std::vector<Test> tests;
  for (const SuccessRow& row : kSuccessRows) {
    Test test;
    test.group = "Listen";
    test.name = row.name;
    test.what = row.what;
    test.cases = {
        {{listen_operation(), row.setting.start, row.setting.sentinel, {}}, {.promise = Promise::Success}}};
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace conformance
