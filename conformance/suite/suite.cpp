// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/suite/suite.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <stdexcept>

#include "conformance/catalogue/clauses.h"

namespace conformance {

unsigned provider_named(std::string_view name) {
  const auto* const found = std::ranges::find(kProviderNames, name);
  return found == std::end(kProviderNames) ? 0 : 1u << std::distance(std::begin(kProviderNames), found);
}

std::vector<Test> all_tests() {
  std::vector<Test> tests;
  for (const auto& part : {listen_success_tests, listen_null_tests, listen_provider_tests,
                           listen_cleanup_tests, listen_memory_tests, listen_mock_tests, listen_cases_tests,
                           listen_sweep_tests, listen_threads_tests}) {
    std::vector<Test> more = part();
    tests.insert(tests.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  Test kernel;
  kernel.group = "Kernel";
  kernel.name = "LogStaysClean";
  kernel.what = kKernelTestWhat;
  kernel.providers = kKernel;
  tests.push_back(std::move(kernel));
  return tests;
}

std::vector<std::string_view> clauses_of(const Test& test, bool mock) {
  std::set<std::string_view> ids;
  if (test.id() == kKernelTest) ids.insert("STACK-KERNEL-1");
  if (test.sweep) {
    for (const Expectation& expectation : test.sweep_expectations) {
      const std::vector<std::string_view> more = clauses_judged(expectation, mock);
      ids.insert(more.begin(), more.end());
    }
  }
  for (const Case& one : test.cases) {
    for (const std::string_view id : clauses_judged(one.expectation, mock)) {
      // If ep_ptr is NULL, the call cannot store to it.
      if (id == "LISTEN-EPPTR-1" && !one.experiment.operation->has_out()) continue;
      ids.insert(id);
    }
  }
  return {ids.begin(), ids.end()};
}

const rdmafault_function& function_named(std::string_view name) {
  size_t count = 0;
  const rdmafault_function* table = rdmafault_functions(&count);
  const std::span all(table, count);
  const auto found =
      std::ranges::find_if(all, [name](const rdmafault_function& f) { return name == f.name; });
  if (found == all.end()) throw std::logic_error(fmt::format("the shim does not interpose {}", name));
  return *found;
}

std::string in_test_name(Start start) {
  std::string name(name_of(start));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  return name;
}

std::vector<Case> in_all_settings(const std::shared_ptr<const Operation>& operation,
                                  const std::vector<std::string>& rules, const Expectation& expectation) {
  std::vector<Case> cases;
  for (const Setting& setting : kSettings) {
    Case one{{operation, setting.start, setting.sentinel}, expectation};
    for (const std::string& text : rules) one.experiment.rules.push_back(make_rule(text));
    cases.push_back(std::move(one));
  }
  return cases;
}

}  // namespace conformance
