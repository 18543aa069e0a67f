// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) with a failing call and a cleanup that fails too: rdma_destroy_id, with each error that
// is legal for it. Judges:
//   LISTEN-PROVIDER-3..5  the code is that of the first failure
// and after every failure: RET-2, EPPTR-1, LEAK-1..4, LEGAL-1, AGAIN-1; the id that could not be
// destroyed is no leak (ruling 7).
//
// Only on a kernel, which destroys the id together with its event channel. The fake keeps the id and its
// port.
#include <fmt/format.h>

#include "conformance/harness/expectations.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

struct CleanupRow {
  const char* first;  // the rule of the first failure
  const char* function;
  const char* name;
};
constexpr CleanupRow kCleanupRows[] = {
    {"rdma_getaddrinfo:retval=EAI_NONAME", "rdma_getaddrinfo", "FailingGetaddrinfo"},
    {"rdma_bind_addr:error=EADDRINUSE", "rdma_bind_addr", "FailingBindAddr"},
    {"rdma_listen:error=EADDRINUSE", "rdma_listen", "FailingListen"},
};

}  // namespace

std::vector<Test> listen_cleanup_tests() {
  std::vector<Test> tests;
  const rdmafault_function& destroy = function_named("rdma_destroy_id");
  for (const CleanupRow& row : kCleanupRows) {
    for (const rdmafault_name* error = destroy.errors; error->name != nullptr; ++error) {
      Test test;
      test.group = "Listen";
      test.name = fmt::format("{}AndDestroyIdGivesEProvider/{}", row.name, error->name);
      test.what = fmt::format("{} fails and then rdma_destroy_id with {}: the first failure's code.",
                              row.function, error->name);
      test.providers = kKernel;
      test.cases = in_all_settings(listen_operation(),
                                   {fmt::format("{}:caller=@iut", row.first),
                                    fmt::format("rdma_destroy_id:error={}:caller=@iut", error->name)},
                                   provider_failed({clause_about(row.function)}));
      tests.push_back(std::move(test));
    }
  }
  return tests;
}

}  // namespace conformance
