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
    .what = "baseline for this run", .schema = kBaselineSchema, .hint = "name another with --baseline"};
constexpr size_t kMostOfProviders = 80;

// A field that is misspelt would be one that is left out.
void need_no_more_than(const Node& node, std::initializer_list<std::string_view> fields) {
  for (const auto& [name, value] : node.members())
    if (std::ranges::find(fields, name) == fields.end()) value.refuse("is no field of a baseline");
}

// A run that left nothing out, whatever its filter looks like.
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
      verdict.refuse("is no verdict of a finding: crash, hang or fail");
    need_no_more_than(finding, {"clause", "module", "verdict", "signature", "note", "tests"});
    const std::vector<std::string> tests = finding.at("tests").texts();
    if (tests.empty()) finding.at("tests").refuse("name no test");
    for (const std::string& test : tests)
      baseline.known_.insert({finding.at("clause").text(), finding.at("module").text(), verdict.text(),
                              finding.text_or("signature"), test});
  }
  if (!document.has("clauses")) return baseline;
  const Node clauses = document.at("clauses");
  if (!clauses.json().is_object()) clauses.refuse("is no object of clauses and verdicts");
  for (const auto& [id, verdict] : clauses.members()) {
    if (!verdict_named(verdict.text())) verdict.refuse("is no verdict");
    baseline.clauses_[id] = verdict.text();
  }
  return baseline;
}

// Findings are told one by one; this is what else can become of a clause.
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
    // For what is waived somebody answers, and conditions that disturb a host are not made on every device.
    const bool excused = now.verdict == Verdict::Waived ||
                         (now.verdict == Verdict::Unsupported && run.provider == "hw" && !is_finding(then));
    if (now.verdict == then || excused) continue;
    // A part of a run may well be better than the whole was.
    if (is_whole(run) || (now.verdict < then && !(is_finding(then) && is_finding(now.verdict))))
      lines.push_back(fmt::format("clause {} was {}, is {}{}{}", id, word, name_of(now.verdict),
                                  now.reason.empty() ? "" : ": ", now.reason));
  }
}

// Whether two are the same finding in the same test. Baselines of former suites have no signatures, and a
// hang that could not be asked for its stack has nothing to be told apart by.
bool Baseline::Known::is(const Known& other) const {
  return clause == other.clause && module == other.module && verdict == other.verdict && test == other.test &&
         (signature.empty() || other.signature.empty() || signature == other.signature);
}

std::vector<std::string> Baseline::differences(const RunResult& run) const {
  std::set<std::string> ran;
  std::vector<Known> seen;  // what is waived, too
  for (const TestResult& test : run.tests) {
    ran.insert(test.id);
    for (const ClauseResult& clause : test.clauses)
      if (clause.verdict == Verdict::Waived)
        seen.push_back({clause.clause, clause.module, clause.waived, clause.signature, test.id});
  }
  std::vector<std::string> lines;
  for (const Finding& finding : findings_of(run)) {
    const bool stands_nowhere = finding.verdict == Verdict::Hang && finding.stack.empty();
    for (const std::string& test : finding.tests) {
      seen.push_back({finding.clause, finding.module, std::string(name_of(finding.verdict)),
                      stands_nowhere ? "" : finding.signature, test});
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
