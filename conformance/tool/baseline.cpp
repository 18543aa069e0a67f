// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "conformance/harness/library.h"

namespace conformance {
namespace {

constexpr const char* kSchema = "rpma-conformance-baseline/1";

}  // namespace

std::string Baseline::Known::text() const {
  return fmt::format("{} {} by {} in {}", verdict, clause, module, test);
}

Baseline::Baseline(const std::filesystem::path& file, const std::string& provider) {
  std::ifstream stream(file);
  if (!stream)
    throw SetupError(
        fmt::format("cannot read the baseline {}; name a readable file with --baseline", file.string()));
  try {
    const nlohmann::json document = nlohmann::json::parse(stream);
    if (document.at("schema") != kSchema)
      throw std::runtime_error(fmt::format("its schema is not {}", kSchema));
    const auto providers = document.at("providers").get<std::vector<std::string>>();
    if (std::ranges::find(providers, provider) == providers.end())
      throw std::runtime_error(fmt::format("it is for provider {}", fmt::join(providers, ", ")));
    for (const auto& finding : document.at("findings"))
      for (const auto& test : finding.at("tests"))
        known_.insert({finding.at("clause"), finding.at("module"), finding.at("verdict"), test});
  } catch (const std::exception& error) {
    throw SetupError(fmt::format("{} is no baseline for this run: {}", file.string(), error.what()));
  }
}

std::vector<std::string> Baseline::differences(const RunResult& run) const {
  std::set<std::string> ran;
  for (const TestResult& test : run.tests) ran.insert(test.id);
  std::set<Known> seen;
  for (const Finding& finding : findings_of(run))
    for (const std::string& test : finding.tests)
      seen.insert({finding.clause, finding.module, std::string(name_of(finding.verdict)), test});
  std::vector<std::string> lines;
  for (const Known& one : seen)
    if (!known_.contains(one)) lines.push_back("new finding: " + one.text());
  for (const Known& one : known_)
    if (ran.contains(one.test) && !seen.contains(one))
      lines.push_back("known finding not seen: " + one.text());
  return lines;
}

}  // namespace conformance
