// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) with failing allocations of the listener's own: only the n-th, and all from the n-th on,
// for n = 1, 2, ... until no allocation fails. Judges:
//   LISTEN-NOMEM-1  RPMA_E_NOMEM
// and after every failure: RET-2, EPPTR-1, LEAK-1..4, LEGAL-1, AGAIN-1.
//
// An allocation is the listener's own if the listener is the immediate caller (ruling 1). Those of the
// modules below it are in listen_sweeps.cpp.
#include <fmt/format.h>

#include "conformance/harness/expectations.h"
#include "conformance/suite/sweep.h"

namespace conformance {

std::vector<Test> listen_memory_tests() {
  std::vector<Test> tests;
  for (const Setting& setting : kSettings) {
    Test test;
    test.group = "Listen";
    test.name = fmt::format("EachFailingAllocationGivesENomem/{}", in_test_name(setting.start));
    test.what =
        "Each allocation of the listener's own fails in turn: RPMA_E_NOMEM, and nothing is left behind.";
    sweep_every_point(test, setting, {1u << RDMAFAULT_ALLOCATOR, true, false});
    test.sweep_expectations = {no_memory()};
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace conformance
