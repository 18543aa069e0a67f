// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "conformance/catalogue/clauses.h"
#include "conformance/suite/matrix.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"

namespace conformance {
namespace {

std::vector<std::string_view> providers_of(const Test& test) {
  std::vector<std::string_view> names;
  for (const std::string_view name : kProviderNames)
    if (test.runs_on(provider_named(name))) names.push_back(name);
  return names;
}

void print_json(const std::vector<Test>& tests) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Test& test : tests)
    rows.push_back({{"id", test.id()},
                    {"what", test.what},
                    {"providers", providers_of(test)},
                    {"clauses", clauses_of(test, false)},
                    {"always", test.id() == kKernelTest}});
  print_document({{"schema", "rpma-conformance-list/1"}, {"tests", rows}});
}

void print_text(const std::vector<Test>& tests) {
  for (const Test& test : tests)
    fmt::print("{:<58} {:<12} {}\n", test.id(), fmt::format("{}", fmt::join(providers_of(test), ",")),
               test.what);
  fmt::print("{} tests\n", tests.size());
}

}  // namespace

int list(const ListOptions& options) {
  if (options.check) {
    const std::vector<std::string> gaps = matrix_gaps(profiles_in(find_parts().profiles));
    for (const std::string& gap : gaps) fmt::print(stderr, "rpma-conformance: {}\n", gap);
    if (!gaps.empty())
      fmt::print(stderr, "if this is intended, freeze a new version of the profile with --freeze\n");
    return gaps.empty() ? kConforms : kUsage;
  }
  if (!options.freeze.empty()) {
    const size_t slash = options.freeze.find('/');
    const RealOutput output;
    fmt::print("{}", freeze_profile(options.freeze.substr(0, slash),
                                    static_cast<unsigned>(std::stoul(options.freeze.substr(slash + 1)))));
    return kConforms;
  }
  std::vector<Test> tests = all_tests();
  if (!options.provider.empty())
    std::erase_if(tests,
                  [&options](const Test& test) { return !test.runs_on(provider_named(options.provider)); });
  if (wants_json())
    print_json(tests);
  else
    print_text(tests);
  return kConforms;
}

}  // namespace conformance
