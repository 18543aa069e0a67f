// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) with one of its provider calls failing, with each error that is legal for that call (the
// shim's function table lists them). Judges:
//   LISTEN-PROVIDER-1..5  RPMA_E_PROVIDER
// and after every failure: RET-2, EPPTR-1, LEAK-1..4, LEGAL-1, AGAIN-1.
//
// Only the listener's own calls fail (caller=@iut). librdmacm calls its own functions too; a fault there is
// another experiment.
#include <fmt/format.h>

#include "conformance/harness/expectations.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

struct ProviderRow {
  const char* function;
  const char* name;
};
constexpr ProviderRow kProviderRows[] = {
    {"rdma_create_event_channel", "FailingCreateEventChannelGivesEProvider"},
    {"rdma_create_id", "FailingCreateIdGivesEProvider"},
    {"rdma_getaddrinfo", "FailingGetaddrinfoGivesEProvider"},
    {"rdma_bind_addr", "FailingBindAddrGivesEProvider"},
    {"rdma_listen", "FailingListenGivesEProvider"},
};

Test failing(const ProviderRow& row, std::string_view how, std::string_view error) {
  Test test;
  test.group = "Listen";
  test.name = fmt::format("{}/{}", row.name, error);
  test.what =
      fmt::format("{} fails with {}: RPMA_E_PROVIDER, and nothing is left behind.", row.function, error);
  test.cases =
      in_all_settings(listen_operation(), {fmt::format("{}:{}={}:caller=@iut", row.function, how, error)},
                      provider_failed({clause_about(row.function)}));
  return test;
}

}  // namespace

std::vector<Test> listen_provider_tests() {
  std::vector<Test> tests;
  for (const ProviderRow& row : kProviderRows) {
    const rdmafault_function& function = function_named(row.function);
    for (const rdmafault_name* error = function.errors; error != nullptr && error->name != nullptr; ++error)
      tests.push_back(failing(row, "error", error->name));
    for (const rdmafault_name* value = function.values; value != nullptr && value->name != nullptr; ++value)
      tests.push_back(failing(row, "retval", value->name));
  }
  return tests;
}

}  // namespace conformance
