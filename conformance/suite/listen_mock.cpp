// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) in situations that no kernel makes on demand: the mock's scripts. Each script has its own
// expectations of the provider calls. Judges:
//   LISTEN-LEGAL-1  the script's expectations are met
// and the clauses of a success or of a failure, as the row of the script says.
#include <fmt/format.h>

#include "conformance/harness/expectations.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/suite/suite.h"
#include "mocks/rdmamock.h"

namespace conformance {

std::vector<Test> listen_mock_tests() {
  std::vector<Test> tests;
  size_t count = 0;
  const rdmamock_script* scripts = rdmamock_scripts(&count);
  for (size_t i = 0; i < count; ++i) {
    Expectation expectation =
        scripts[i].expect_success != 0 ? Expectation{.promise = Promise::Success} : provider_failed({});
    if (scripts[i].fails != nullptr) expectation.code_clauses = {clause_about(scripts[i].fails)};
    Test test;
    test.group = "ListenOnMock";
    test.name = scripts[i].name;
    test.what = scripts[i].what;
    test.providers = kMock;
    test.cases = in_all_settings(listen_operation(), {}, expectation);
    // An early connection request must be accepted, which is not possible in a cold process
    // (harness/client.h).
    if (scripts[i].pending_request != 0)
      std::erase_if(test.cases, [](const Case& one) { return one.experiment.start == Start::Cold; });
    for (Case& one : test.cases) one.experiment.script = scripts[i].name;
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace conformance
