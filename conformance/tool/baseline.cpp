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

constexpr Expected kBaseline = {
    .what = "baseline for this run", .schema = kBaselineSchema, .remedy = "name another with --baseline"};
constexpr size_t kMostOfProviders = 80;

// A misspelt optional field would be ignored.
void need_no_more_than(const Node& node, std::initializer_list<std::string_view> fields) {
  for (const auto& [name, value] : node.members())
    if (std::ranges::find(fields, name) == fields.end()) value.refuse("is not a field of a baseline");
}

// A run of the whole profile, whatever its filter is.
bool is_whole(const RunResult& run) {
  return run.shard.empty() && run.in_profile > 0 && run.selected >= run.in_profile;
}

}  // namespace

std::string Baseline::Known::text() const {
  return fmt::format("{} {} by {} in {}{}{}", verdict, clause, module, test, signature.empty() ? "" : ": ",
                     signature);
}

Baseline::Baseline(const std::filesystem::path& file, const std::string& provider) {
  try {
    *this = parse(read_file(file, kBaseline), provider);
  } catch (const DocumentError& error) {
    refuse_document(file, kBaseline, error.what());
  }
}

Baseline Baseline::parse(std::string_view bytes, const std::string& provider) {
  Baseline baseline;
  const nlohmann::ordered_json json = parse_document(bytes, kBaseline.schema);
  const Node document(json);
  need_no_more_than(document, {"schema", "stack", "providers", "clauses", "findings"});
  const std::vector<std::string> providers = document.at("providers").texts();
  if (providers.empty()) document.at("providers").refuse("name no provider");
  if (std::ranges::find(providers, provider) == providers.end())
    document.at("providers")
        .refuse(fmt::format("are {}, this run's is {}",
                            as_one_line(fmt::format("{}", fmt::join(providers, ", ")), kMostOfProviders),
                            provider));
  for (const Node& finding : document.at("findings").items()) {
    const Node verdict = finding.at("verdict");
    if (const auto named = verdict_named(verdict.text()); !named || !is_finding(*named))
      verdict.refuse("is not the verdict of a finding: crash, hang or fail");
    need_no_more_than(finding, {"clause", "module", "verdict", "signature", "note", "tests"});
    const std::vector<std::string> tests = finding.at("tests").texts();
    if (tests.empty()) finding.at("tests").refuse("name no test");
    for (const std::string& test : tests)
      baseline.known_.insert({finding.at("clause").text(), finding.at("module").text(), verdict.text(),
                              finding.text_or("signature"), test});
  }
  if (!document.has("clauses")) return baseline;
  const Node clauses = document.at("clauses");
  if (!clauses.json().is_object()) clauses.refuse("is not an object of clauses and verdicts");
  for (const auto& [id, verdict] : clauses.members()) {
    if (!verdict_named(verdict.text())) verdict.refuse("is not a verdict");
    baseline.clauses_[id] = verdict.text();
  }
  return baseline;
}

// Findings are compared one by one. This reports clauses that are worse without a new finding.
void Baseline::add_worse_clauses(const RunResult& run, std::vector<std::string>& lines) const {
  const auto judged = by_clause(run);
  for (const auto& [id, word] : clauses_) {
    const auto found = judged.find(id);
    if (found == judged.end()) {
      if (is_whole(run)) lines.push_back(fmt::format("clause {} was {}, is not judged any more", id, word));
      continue;
    }
    const ClauseResult& now = found->second;
    const Verdict then = *verdict_named(word);
    // Waived findings are accepted, and disruptive conditions are not allowed on every device.
    const bool excused = now.verdict == Verdict::Waived ||
                         (now.verdict == Verdict::Unsupported && run.provider == "hw" && !is_finding(then));
    if (now.verdict == then || excused) continue;
    // A part of a run may be better than the whole.
    if (is_whole(run) || (now.verdict < then && !(is_finding(then) && is_finding(now.verdict))))
      lines.push_back(fmt::format("clause {} was {}, is {}{}{}", id, word, name_of(now.verdict),
                                  now.reason.empty() ? "" : ": ", now.reason));
  }
}

// Whether two are the same finding in the same test. Old baselines have no signatures, and neither has a hang
// whose stack could not be read.
bool Baseline::Known::is(const Known& other) const {
  return clause == other.clause && module == other.module && verdict == other.verdict && test == other.test &&
         (signature.empty() || other.signature.empty() || signature == other.signature);
}

std::vector<std::string> Baseline::differences(const RunResult& run) const {
  std::set<std::string> ran;
  std::vector<Known> seen;  // waived findings too
  for (const TestResult& test : run.tests) {
    ran.insert(test.id);
    for (const ClauseResult& clause : test.clauses)
      if (clause.verdict == Verdict::Waived)
        seen.push_back({clause.clause, clause.module, clause.waived, clause.signature, test.id});
  }
  std::vector<std::string> lines;
  for (const Finding& finding : findings_of(run)) {
    const bool has_no_stack = finding.verdict == Verdict::Hang && finding.stack.empty();
    for (const std::string& test : finding.tests) {
      seen.push_back({finding.clause, finding.module, std::string(name_of(finding.verdict)),
                      has_no_stack ? "" : finding.signature, test});
      const Known& one = seen.back();
      if (std::ranges::none_of(known_, [&one](const Known& known) { return known.is(one); }))
        lines.push_back("new finding: " + one.text());
    }
  }
  for (const Known& known : known_)
    if ((is_whole(run) || ran.contains(known.test)) &&
        std::ranges::none_of(seen, [&known](const Known& one) { return known.is(one); }))
      lines.push_back("known finding not seen: " + known.text());
  add_worse_clauses(run, lines);
  return lines;
}

}  // namespace conformance
