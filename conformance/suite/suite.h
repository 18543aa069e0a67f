// SPDX-License-Identifier: BSD-3-Clause
//
// The suite as data: a test has cases, a case is an experiment and the behaviour of a conforming function. A
// new test is a row in one of the suite's files.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/experiment.h"
#include "conformance/harness/judge.h"
#include "conformance/suite/choice.h"

namespace conformance {

enum Providers : unsigned { kMock = 1, kRxe = 2, kHw = 4, kKernel = kRxe | kHw, kAll = kMock | kRxe | kHw };

// The bit of a provider's name, or 0.
unsigned provider_named(std::string_view name);
inline constexpr std::string_view kProviderNames[] = {"mock", "rxe", "hw"};

struct Case {
  Experiment experiment;
  Expectation expectation;
  bool ruled_by_first_fault = false;  // the first fault that fires decides, not `expectation`
};

class CaseSource;  // sweep.h

// What a sweep starts from.
struct SweepStart {
  const Library& library;
  const Experiment& control;
  const Evidence& evidence;  // of the control
  const Choice& choice;
};

struct Test {
  std::string group;  // "Listen"
  std::string name;   // function, condition, result: "FailingCreateIdGivesEProvider/ENOMEM"
  std::string what;   // one sentence for a reader of the report
  unsigned providers = kAll;
  std::vector<Case> cases;

  // Makes the cases of a sweep from its control. Null where no call can fail.
  std::function<std::unique_ptr<CaseSource>(const SweepStart&)> sweep;
  Experiment sweep_control;
  std::vector<Expectation> sweep_expectations;  // that its cases can have

  [[nodiscard]] std::string id() const { return group + "." + name; }
  [[nodiscard]] bool runs_on(unsigned provider) const { return (providers & provider) != 0; }
};

// Every test that there is, in the order in which they run.
std::vector<Test> all_tests();

// The clauses that a test judges on a provider, sorted, each once.
std::vector<std::string_view> clauses_of(const Test& test, bool mock);

// The kernel's log is watched during the whole run and judged at its end.
inline constexpr std::string_view kKernelTest = "Kernel.LogStaysClean";
inline constexpr std::string_view kKernelTestWhat =
    "While the selected tests run, the kernel logs no warning, oops or new taint.";

// The suite's files.
std::vector<Test> listen_success_tests();
std::vector<Test> listen_null_tests();
std::vector<Test> listen_provider_tests();
std::vector<Test> listen_cleanup_tests();
std::vector<Test> listen_memory_tests();
std::vector<Test> listen_mock_tests();
std::vector<Test> listen_cases_tests();
std::vector<Test> listen_sweep_tests();
std::vector<Test> listen_threads_tests();

// A row of the shim's table; throws std::logic_error where there is none.
const rdmafault_function& function_named(std::string_view name);

// A start in a test's name: "Cold".
std::string in_test_name(Start start);

// A case in each of the three settings (start and sentinel).
std::vector<Case> in_all_settings(const std::shared_ptr<const Operation>& operation,
                                  const std::vector<std::string>& rules, const Expectation& expectation);

}  // namespace conformance
