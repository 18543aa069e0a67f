// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) with one of its provider calls failing, with each error that is legal for that call (the
// shim's function table lists them). Judges:
//   LISTEN-PROVIDER-1..5  RPMA_E_PROVIDER
// and after every failure: RET-2, EPPTR-1, LEAK-1..4, LEGAL-1, AGAIN-1.
//
// The fault is put at the listener's own calls alone (caller=@iut): librdmacm calls its own functions too,
// and a fault there is another experiment.
#include <fmt/format.h>
#include <librpma.h>

#include <stdexcept>

#include "conformance/harness/listen_operation.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

struct Row {
  const char* function;
  const char* name;
  const char* clause;
};
constexpr Row kRows[] = {
    {"rdma_create_event_channel", "FailingCreateEventChannelGivesEProvider", "LISTEN-PROVIDER-1"},
    {"rdma_create_id", "FailingCreateIdGivesEProvider", "LISTEN-PROVIDER-2"},
    {"rdma_getaddrinfo", "FailingGetaddrinfoGivesEProvider", "LISTEN-PROVIDER-3"},
    {"rdma_bind_addr", "FailingBindAddrGivesEProvider", "LISTEN-PROVIDER-4"},
    {"rdma_listen", "FailingListenGivesEProvider", "LISTEN-PROVIDER-5"},
};

Test failing(const Row& row, std::string_view how, std::string_view error) {
  Test test;
  test.group = "Listen";
  test.name = fmt::format("{}/{}", row.name, error);
  test.what =
      fmt::format("{} fails with {}: RPMA_E_PROVIDER, and nothing is left behind.", row.function, error);
  test.cases = in_all_settings(
      listen_operation(), {fmt::format("{}:{}={}:caller=@iut", row.function, how, error)},
      {.success = false, .code = RPMA_E_PROVIDER, .code_clauses = {row.clause}, .asks_nothing = false});
  return test;
}

}  // namespace

std::string_view provider_clause_of(std::string_view function) {
  for (const Row& row : kRows)
    if (function == row.function) return row.clause;
  throw std::logic_error(fmt::format("no clause is about {}", function));
}

std::vector<Test> listen_provider_tests() {
  std::vector<Test> tests;
  for (const Row& row : kRows) {
    const rdmafault_function& function = function_named(row.function);
    for (const rdmafault_name* error = function.errors; error != nullptr && error->name != nullptr; ++error)
      tests.push_back(failing(row, "error", error->name));
    for (const rdmafault_name* value = function.values; value != nullptr && value->name != nullptr; ++value)
      tests.push_back(failing(row, "retval", value->name));
  }
  return tests;
}

}  // namespace conformance
