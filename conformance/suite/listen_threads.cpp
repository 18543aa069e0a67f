// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) in several threads of one process, each on its own port. Every second thread has a fault.
// The threads take turns, since librpma documents the function as not thread-safe. Judges:
//   LISTEN-THREADS-1  the result of each thread depends only on its own call
// and LEGAL-1. Clauses that a single thread can break are not judged here again.
#include <fmt/format.h>
#include <librpma.h>

#include "conformance/harness/listen_operation.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

struct ThreadsRow {
  const char* name;
  const char* rule;  // of every second thread; null: none
  int code;          // that it gives
  const char* what;
};
constexpr ThreadsRow kThreadsRows[] = {
    {"EachListens", nullptr, 0, "Nothing fails: each thread's endpoint works."},
    {"FailingCreateEventChannelIsItsThreadsAlone", "rdma_create_event_channel:error=EMFILE", RPMA_E_PROVIDER,
     "rdma_create_event_channel fails in every second thread; the others' endpoints work."},
    {"FailingCreateIdIsItsThreadsAlone", "rdma_create_id:error=ENOMEM", RPMA_E_PROVIDER,
     "rdma_create_id fails in every second thread; the others' endpoints work."},
    {"FailingGetaddrinfoIsItsThreadsAlone", "rdma_getaddrinfo:retval=EAI_NONAME", RPMA_E_PROVIDER,
     "rdma_getaddrinfo fails in every second thread; the others' endpoints work."},
    {"FailingBindAddrIsItsThreadsAlone", "rdma_bind_addr:error=EADDRINUSE", RPMA_E_PROVIDER,
     "rdma_bind_addr fails in every second thread; the others' endpoints work."},
    {"FailingListenIsItsThreadsAlone", "rdma_listen:error=EADDRINUSE", RPMA_E_PROVIDER,
     "rdma_listen fails in every second thread; the others' endpoints work."},
    {"FailingMallocIsItsThreadsAlone", "allocation:error=ENOMEM:when=1", RPMA_E_NOMEM,
     "The first allocation fails in every second thread; the others' endpoints work."},
};

struct Crowd {
  unsigned threads;
  Setting setting;
};
constexpr Crowd kCrowds[] = {
    {2, {Start::Primed, Sentinel::Wild}},
    {8, {Start::Cold, Sentinel::Null}},
    {16, {Start::Warm, Sentinel::Live}},
};

}  // namespace

std::vector<Test> listen_threads_tests() {
  std::vector<Test> tests;
  for (const ThreadsRow& row : kThreadsRows) {
    Test test;
    test.group = "Threads";
    test.name = row.name;
    test.what = row.what;
    for (const Crowd& crowd : kCrowds) {
      Case one{{listen_operation(), crowd.setting.start, crowd.setting.sentinel},
               {.promise = Promise::Success, .threads = true}};
      one.experiment.threads = crowd.threads;
      if (row.rule != nullptr) {
        one.experiment.rules.push_back(make_rule(fmt::format("{}:caller=@iut", row.rule)));
        one.expectation.promise = Promise::Failure;
        one.expectation.code = row.code;
      }
      test.cases.push_back(std::move(one));
    }
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace conformance
