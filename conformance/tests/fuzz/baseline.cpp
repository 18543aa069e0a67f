// SPDX-License-Identifier: BSD-3-Clause
//
// Baselines (Baseline::parse). May throw DocumentError alone, with one short line. What is accepted says
// nothing about a run in which no test ran, and what it calls known is not a pass.
#include <nlohmann/json.hpp>

#include "conformance/report/document.h"
#include "conformance/tests/fuzz/property.h"
#include "conformance/tool/baseline.h"

using namespace conformance;
using namespace conformance::fuzzing;

namespace {

// A run whose tests all passed: each finding that the baseline knows of one of them is missed.
RunResult run_of(const nlohmann::ordered_json& document) {
  RunResult run;
  for (const auto& finding : document.at("findings"))
    for (const auto& test : finding.at("tests")) {
      TestResult passed;
      passed.id = test;
      passed.verdict = Verdict::Pass;
      run.tests.push_back(passed);
    }
  return run;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes = text_of(data, size);
  try {
    const Baseline baseline = Baseline::parse(bytes, "mock");
    must(baseline.differences({}).empty(), "nothing is asked of tests that did not run");
    const RunResult run = run_of(parse_document(bytes));
    must(baseline.differences(run).empty() == run.tests.empty(), "a known finding that is gone is told");
  } catch (const DocumentError& error) {
    must_be_one_line(error.what());
  }
  return 0;
}
