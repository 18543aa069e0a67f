// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) with the listener's own allocations failing, one after the other, until a run in which
// there is none left to fail; and all those of one allocating function at once. Judges:
//   LISTEN-NOMEM-1  RPMA_E_NOMEM
// and after every failure: RET-2, EPPTR-1, LEAK-1..4, LEGAL-1, AGAIN-1.
//
// How many allocations there are is read from the control, and the last run of each sweep proves that no more
// came. An allocation counts as the listener's own where it is the immediate caller (ruling 1).
#include <fmt/format.h>
#include <librpma.h>

#include <map>

#include "conformance/harness/ledger.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/suite/suite.h"

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

const Expectation kNoMemory{
    .success = false, .code = RPMA_E_NOMEM, .code_clauses = {"LISTEN-NOMEM-1"}, .asks_nothing = false};

// How often each allocating function was called by the IUT itself during the control's call.
std::map<std::string, unsigned> own_allocations(const Library& library, const Evidence& control) {
  size_t count = 0;
  const rdmafault_function* functions = rdmafault_functions(&count);
  std::map<std::string, unsigned> calls;
  for (uint32_t i = control.observation.call_first; i < control.observation.call_last; ++i) {
    const rdmafault_record& record = control.records.at(i);
    const rdmafault_function& function = functions[record.function];
    if (function.kind == RDMAFAULT_ALLOCATOR && function.errors != nullptr &&
        role_of(library, control, record) == "iut")
      ++calls[function.name];
  }
  return calls;
}

Case failing(const Setting& setting, const std::string& rule, const Expectation& expectation) {
  return {{listen_operation(), setting.start, setting.sentinel, {make_rule(rule)}, {}}, expectation};
}

std::vector<Case> sweep(const Setting& setting, const Library& library, const Evidence& control) {
  std::vector<Case> cases;
  for (const auto& [function, calls] : own_allocations(library, control)) {
    for (unsigned n = 1; n <= calls; ++n)
      cases.push_back(
          failing(setting, fmt::format("{}:error=ENOMEM:when={}:caller=@iut", function, n), kNoMemory));
    cases.push_back(
        failing(setting, fmt::format("{}:error=ENOMEM:when=1+:caller=@iut", function), kNoMemory));
    Expectation end{.success = true};
    end.fires_nothing = true;
    cases.push_back(
        failing(setting, fmt::format("{}:error=ENOMEM:when={}:caller=@iut", function, calls + 1), end));
  }
  return cases;
}

}  // namespace

std::vector<Test> listen_memory_tests() {
  std::vector<Test> tests;
  for (const Row& row : kRows) {
    Test test;
    test.group = "Listen";
    test.name = fmt::format("EachFailingAllocationGivesENomem/{}", row.name);
    test.what =
        "Each allocation of the listener's own fails in turn: RPMA_E_NOMEM, and nothing is left behind.";
    test.sweep_control = Experiment{listen_operation(), row.setting.start, row.setting.sentinel, {}, {}};
    test.sweep_expectation = kNoMemory;
    test.sweep = [setting = row.setting](const Library& library, const Evidence& control) {
      return sweep(setting, library, control);
    };
    tests.push_back(std::move(test));
  }
  return tests;
}

}  // namespace conformance
