// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/harness/library.h"
#include "conformance/harness/verdict.h"
#include "conformance/report/document.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;
constexpr Expected kBaseline = {
    .what = "baseline for this run", .schema = kBaselineSchema, .hint = "name another with --baseline"};

// A run of all tests, whatever its filter looks like.
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
  const Json json = parse_document(bytes, kBaseline.schema);
  const std::vector<std::string> providers = json.at("providers");
  if (std::ranges::find(providers, provider) == providers.end())
    throw DocumentError(fmt::format("/providers: {} is missing, the provider of this run", provider));
  for (const Json& finding : json.at("findings"))
    for (const Json& test : finding.at("tests"))
      baseline.known_.insert({finding.at("clause"), finding.at("module"), finding.at("verdict"),
                              finding.value("signature", ""), test});
  if (json.contains("clauses")) json.at("clauses").get_to(baseline.clauses_);
  return baseline;
}

// Findings are listed one by one; these are the other changes of a clause.
void Baseline::add_worse_clauses(const RunResult& run, std::vector<std::string>& lines) const {
  const auto judged = by_clause(run);
  for (const auto& [id, word] : clauses_) {
    const auto found = judged.find(id);
    if (found == judged.end()) {
      if (is_whole(run)) lines.push_back(fmt::format("clause {} was {}, is not judged now", id, word));
      continue;
    }
    const ClauseResult& now = found->second;
    const Verdict then = *verdict_named(word);
    // Not every device allows conditions that disturb a host.
    const bool excused = now.verdict == Verdict::Waived ||
                         (now.verdict == Verdict::Unsupported && run.provider == "hw" && !is_finding(then));
    if (now.verdict == then || excused) continue;
    // A part of the tests can be better than all of them.
    if (is_whole(run) || (now.verdict < then && !(is_finding(then) && is_finding(now.verdict))))
      lines.push_back(fmt::format("clause {} was {}, is {}{}{}", id, word, name_of(now.verdict),
                                  now.reason.empty() ? "" : ": ", now.reason));
  }
}

// Whether two are the same finding in the same test. Baselines of former suites have no signatures, and
// neither has a hang whose stack could not be read.
bool Baseline::Known::is(const Known& other) const {
  return clause == other.clause && module == other.module && verdict == other.verdict && test == other.test &&
         (signature.empty() || other.signature.empty() || signature == other.signature);
}

std::vector<std::string> Baseline::differences(const RunResult& run) const {
  std::set<std::string> ran;
  std::vector<Known> seen;  // including waived ones
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
