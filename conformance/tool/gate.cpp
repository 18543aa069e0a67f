// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/gate.h"

#include <fmt/format.h>

#include "conformance/tool/options.h"

namespace conformance {
namespace {

// The worst test without a verdict, and how many more there are.
std::string unconcluded_in(const RunResult& run) {
  std::string first;
  size_t more = 0;
  const auto add = [&](std::string what) {
    if (first.empty())
      first = std::move(what);
    else
      ++more;
  };
  for (const Verdict verdict : {Verdict::Broken, Verdict::Unreached, Verdict::Unsupported, Verdict::Skipped})
    for (const TestResult& test : run.tests)
      for (const ClauseResult& clause : test.clauses)
        if (clause.verdict == verdict)
          add(fmt::format("{} is {} ({}: {})", test.id, name_of(verdict), clause.clause, clause.reason));
  if (run.tests.size() < run.selected)
    add(fmt::format("{} of {} selected tests ran", run.tests.size(), run.selected));
  return first + (more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

int gate(const Baseline& baseline, const std::filesystem::path& file, const RunResult& run) {
  const std::vector<std::string> lines = baseline.differences(run);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (!lines.empty()) {
    fmt::print("baseline: differs, exit code {}\n", static_cast<int>(kFinding));
    return kFinding;
  }
  const int code = exit_code_without_findings(run);
  if (code == kConforms) {
    fmt::print("baseline: the findings are exactly those of {}, exit code {}\n", file.string(), code);
    return code;
  }
  // A test without a verdict may hide a finding.
  fmt::print(
      "baseline: no other findings than those of {}, but not every test reached a verdict: {}, exit code "
      "{}\n",
      file.string(), unconcluded_in(run), code);
  return code;
}

}  // namespace conformance
