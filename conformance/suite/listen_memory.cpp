// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) with the listener's own allocations failing, one after the other, once and from there on,
// until a run in which there is none left to fail. Judges:
//   LISTEN-NOMEM-1  RPMA_E_NOMEM
// and after every failure: RET-2, EPPTR-1, LEAK-1..4, LEGAL-1, AGAIN-1.
//
// An allocation counts as the listener's own where it is the immediate caller (ruling 1); those of the
// modules below it are swept in listen_sweeps.cpp.
#include <fmt/format.h>
#include <librpma.h>

#include "conformance/harness/listen_operation.h"
#include "conformance/suite/sweep.h"

namespace conformance {
namespace {

struct Row {
  Setting setting;
  const char* name;
};
constexpr Row kRows[] = {
    {{Start::Cold, Sentinel::Null}, "Cold"},
    {{Start::Primed, Sentinel::Wild}, "Primed"},
    {{Start::Warm, Sentinel::Live}, "Warm"},
};

}  // namespace

std::vector<Test> listen_memory_tests() {
  std::vector<Test> tests;
  for (const Row& row : kRows) {
    Test test;
    test.group = "Listen";
    test.name = fmt::format("EachFailingAllocationGivesENomem/{}", row.name);
    test.what =
        "Each allocation of the listener's own fails in turn: RPMA_E_NOMEM, and nothing is left behind.";
    test.sweep_control = Experiment{listen_operation(), row.setting.start, row.setting.sentinel};
    test.sweep_expectations = {
        {.promise = Promise::Failure, .code = RPMA_E_NOMEM, .code_clauses = {"LISTEN-NOMEM-1"}}};
    test.sweep = [control = test.sweep_control](const Library& library, const Evidence& evidence,
                                                const Choice&) {
      const Scope own{1u << RDMAFAULT_ALLOCATOR, true, false};
      std::vector<Site> sites = sites_of(library, evidence, own);
      return sites.empty() ? nullptr : every_point(control, std::move(sites));
    };
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace conformance
