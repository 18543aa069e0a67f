// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) with a fault at every possible place: each allocation, provider call and system call of
// any module in the call, with every error that is legal for it, only the n-th and all from the n-th on;
// every allocation of any module from the n-th on; and two faults at a time. Judges:
//   LISTEN-BELOW-1       a documented code, or a success that works (ruling 1)
//   LISTEN-NOMEM-1       where the listener's own allocation failed first
//   LISTEN-PROVIDER-1..5 where its own provider call failed first
// and after every failure: RET-2, EPPTR-1, LEAK-1..4, LEGAL-1, AGAIN-1; after every success: USE-2..4,
// LEAK-5.
#include <fmt/format.h>

#include "conformance/harness/expectations.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/suite/sweep.h"

namespace conformance {
namespace {

constexpr unsigned kAllocations = 1u << RDMAFAULT_ALLOCATOR;
constexpr unsigned kProviderCalls = 1u << RDMAFAULT_PROVIDER;
constexpr unsigned kSystemCalls = 1u << RDMAFAULT_SYSTEM_CALL;

const Expectation kEither{.promise = Promise::Either};

Expectation any_provider_call_failed() {
  return provider_failed({"LISTEN-PROVIDER-1", "LISTEN-PROVIDER-2", "LISTEN-PROVIDER-3", "LISTEN-PROVIDER-4",
                          "LISTEN-PROVIDER-5"});
}

// Sweeps over every point of some kind, from each start.
struct SweepRow {
  const char* name;
  const char* what;
  unsigned providers;
  Scope scope;
  Logger logger;
  std::vector<Expectation> expectations;
};
const SweepRow kSweeps[] = {
    {"AllocationsBelow",
     "Each allocation of a module below the listener fails in turn: a documented code, or a success that "
     "works.",
     kKernel,
     {kAllocations, false, true},
     Logger::Ours,
     {kEither}},
    {"ProviderCalls",
     "Each provider call, the listener's own and the stack's internal ones, fails in turn with each legal "
     "error.",
     kAll,
     {kProviderCalls, true, true},
     Logger::Ours,
     {any_provider_call_failed(), kEither}},
    {"SystemCalls",
     "Each system call that is made on the listener's behalf fails in turn with each error that it can give.",
     kKernel,
     {kSystemCalls, true, true},
     Logger::Ours,
     {kEither}},
    {"UnderTheDefaultLogger",
     "Each allocation and each provider call fails in turn while librpma's own log function is active.",
     kAll,
     {kAllocations | kProviderCalls, true, true},
     Logger::Default,
     {no_memory(), any_provider_call_failed(), kEither}},
};

Test sweep_of(const SweepRow& row, const Setting& setting) {
  Test test;
  test.group = "Sweep";
  test.name = fmt::format("{}/{}", row.name, in_test_name(setting.start));
  test.what = row.what;
  test.providers = row.providers;
  sweep_every_point(test, setting, row.scope);
  test.sweep_control.logger = row.logger;
  test.sweep_expectations = row.expectations;
  return test;
}

Test memory_sweep_of(const Setting& setting) {
  Test test;
  test.group = "Sweep";
  test.name = fmt::format("MemoryRunsOut/{}", in_test_name(setting.start));
  test.what = "Every allocation from the n-th on fails, in every module.";
  test.sweep_control = Experiment{listen_operation(), setting.start, setting.sentinel};
  test.sweep_expectations = {no_memory(), kEither};
  test.sweep = [](const SweepStart& start) -> std::unique_ptr<CaseSource> {
    uint64_t allocations = 0;
    for (const Site& site : sites_of(start.library, start.evidence, {kAllocations, true, true}))
      allocations += site.calls;
    return allocations == 0 ? nullptr : memory_runs_out(start.control, allocations);
  };
  return test;
}

// Two faults at a time, in an ordinary process.
struct PairRow {
  const char* name;
  const char* what;
  unsigned providers;
  Scope first;
  PairOptions options;
  bool all;  // in every run; otherwise the seed chooses
};
constexpr PairRow kPairs[] = {
    {"FailingReleases",
     "Each provider call and allocation of the listener's fails, and then each rdma_destroy_id, with each "
     "legal error.",
     // The fake keeps an id that was not destroyed, and its port. A kernel destroys it with its channel.
     kKernel,
     {kProviderCalls | kAllocations, true, false},
     {.kinds = kProviderCalls, .only = "rdma_destroy_id"},
     true},
    {"AnyTwo",
     "A fault anywhere, and after it another one at a call that is made later. The seed chooses; --complete: "
     "all.",
     kAll,
     {kProviderCalls | kAllocations, true, true},
     {.kinds = kProviderCalls | kAllocations, .except = "rdma_destroy_id", .firsts = 40, .seconds = 3},
     false},
    {"AnyTwoSystemCalls",
     "A failing system call, and after it another one. The seed chooses; --complete: all.",
     kKernel,
     {kSystemCalls, true, true},
     {.kinds = kSystemCalls, .firsts = 40, .seconds = 3},
     false},
};

Test pairs_of(const PairRow& row) {
  Test test;
  test.group = "Pairs";
  test.name = row.name;
  test.what = row.what;
  test.providers = row.providers;
  test.sweep_control = Experiment{listen_operation(), Start::Primed, Sentinel::Wild};
  test.sweep_control.watch_system_calls = (row.first.kinds & kSystemCalls) != 0;
  test.sweep_expectations = {no_memory(), any_provider_call_failed(), kEither};
  test.sweep = [row](const SweepStart& start) -> std::unique_ptr<CaseSource> {
    const std::vector<Site> sites = sites_of(start.library, start.evidence, row.first);
    if (sites.empty()) return nullptr;
    return pairs(start.library, start.control, sites, row.options,
                 {start.choice.seed, start.choice.all || row.all});
  };
  return test;
}

}  // namespace

std::vector<Test> listen_sweep_tests() {
  std::vector<Test> tests;
  for (const SweepRow& row : kSweeps)
    for (const Setting& setting : kSettings) tests.push_back(sweep_of(row, setting));
  for (const Setting& setting : kSettings) tests.push_back(memory_sweep_of(setting));
  for (const PairRow& row : kPairs) tests.push_back(pairs_of(row));
  return tests;
}

}  // namespace conformance
