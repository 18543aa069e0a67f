// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/harness/library.h"
#include "conformance/harness/verdict.h"
#include "conformance/report/document.h"

namespace conformance {
namespace {

constexpr Expected kExpected = {
    .what = "baseline for this run", .schema = kBaselineSchema, .remedy = "name another with --baseline"};
constexpr size_t kMostQuoted = 80;

}  // namespace

std::string Baseline::Known::text() const {
  return fmt::format("{} {} by {} in {}", verdict, clause, module, test);
}

Baseline::Baseline(const std::filesystem::path& file, const std::string& provider) {
  try {
    *this = parse(read_file(file, kExpected), provider);
  } catch (const DocumentError& error) {
    refuse_document(file, kExpected, error.what());
  }
}

Baseline Baseline::parse(std::string_view bytes, const std::string& provider) {
  Baseline baseline;
  const nlohmann::ordered_json json = parse_document(bytes, kExpected.schema);
  const Node document(json);
  const std::vector<std::string> providers = document.at("providers").texts();
  if (std::ranges::find(providers, provider) == providers.end())
    document.at("providers")
        .refuse(fmt::format("are {}, this run's is {}",
                            as_one_line(fmt::format("{}", fmt::join(providers, ", ")), kMostQuoted),
                            provider));
  for (const Node& finding : document.at("findings").items()) {
    const Node verdict = finding.at("verdict");
    if (const auto named = verdict_named(verdict.text()); !named || !is_finding(*named))
      verdict.refuse("is no verdict of a finding: crash, hang or fail");
    for (const std::string& test : finding.at("tests").texts())
      baseline.known_.insert(
          {finding.at("clause").text(), finding.at("module").text(), verdict.text(), test});
  }
  if (!document.has("clauses")) return baseline;
  for (const auto& [id, verdict] : document.at("clauses").members()) {
    if (!verdict_named(verdict.text())) verdict.refuse("is no verdict");
    baseline.clauses_[id] = verdict.text();
  }
  return baseline;
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
  // A whole run judges every clause that the one before it judged.
  const auto judged = by_clause(run);
  for (const auto& [id, verdict] : clauses_)
    if (run.filter == "*" && run.shard.empty() && !judged.contains(id))
      lines.push_back(fmt::format("clause {} was {}, is not judged any more", id, verdict));
  return lines;
}

}  // namespace conformance
