// SPDX-License-Identifier: BSD-3-Clause
//
// `self-check`: tests the suite. The reference listener must pass, and each defect of the
// table (fixtures/listeners/defects.inc) must break the clauses that the table names, and no other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "conformance/harness/library.h"
#include "conformance/report/half_file.h"
#include "conformance/report/report.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"
#include "conformance/tool/suggest.h"
#include "conformance/tool/temporary_folder.h"
#include "conformance/tool/trial.h"
#include "conformance/version.h"

namespace conformance {
namespace {

using listener::Defect;

constexpr const char* kSelfCheck = "self-check.json";

struct Judgement {
  bool noticed = false;             // the reference: passed
  std::string why;                  // it was not
  std::vector<std::string> broken;  // clauses found broken by the IUT
};

unsigned bit_of(const std::string& provider) {
  if (provider == "mock") return listener::kOnMock;
  return provider == "rxe" ? listener::kOnRxe : listener::kOnHw;
}

std::set<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string defect_suggestion_for(const std::string& name) {
  std::vector<std::string> names;
  for (const Defect& defect : listener::defects()) names.emplace_back(defect.name);
  const std::string similar = did_you_mean(name, names);
  return similar.empty() ? "; see fixtures/listeners/defects.inc" : similar;
}

std::string no_verdict(const Trial& trial, int status) {
  return fmt::format("no verdict: the run ended with {}: {}", status, last_words_of(trial));
}

Judgement judge_reference(const Trial& trial, int status) {
  if (status == kConforms) return {true, "", {}};
  const std::optional<RunResult> run = report_of(trial);
  if (status != kFinding || !run) return {false, no_verdict(trial, status), {}};
  Judgement judgement;
  for (const Finding& finding : findings_of(*run))
    if (finding.module == "iut") judgement.broken.push_back(finding.clause);
  judgement.why = fmt::format("findings: {}", fmt::join(judgement.broken, ", "));
  return judgement;
}

// The clauses that are tested on this provider.
std::set<std::string> judged_on(const std::string& provider) {
  std::set<std::string> ids;
  for (const Test& test : all_tests())
    if (test.runs_on(provider_named(provider)))
      for (const std::string_view clause : clauses_of(test, provider == "mock")) ids.emplace(clause);
  return ids;
}

Judgement judge_defect(const Trial& trial, int status, const std::set<std::string>& judged) {
  const Defect& defect = *trial.defect;
  if (status == kConforms)
    return {false, fmt::format("not noticed: each test of {} passed", trial.filter), {}};
  const std::optional<RunResult> run = report_of(trial);
  if (status != kFinding || !run) return {false, no_verdict(trial, status), {}};
  std::set<std::string> broken;
  std::set<std::string> accused;
  for (const Finding& finding : findings_of(*run))
    if (finding.module == "iut")
      broken.insert(finding.clause);
    else
      accused.insert(fmt::format("{} has a finding of {}", finding.module, finding.clause));
  std::set<std::string> expected = words(defect.clauses);
  std::erase_if(expected, [&judged](const std::string& clause) { return !judged.contains(clause); });
  std::vector<std::string> wrong;
  for (const std::string& clause : expected)
    if (!broken.contains(clause)) wrong.push_back(clause + " has no finding");
  expected.merge(words(defect.also));
  for (const std::string& clause : broken)
    if (!expected.contains(clause)) wrong.push_back(clause + " has an unexpected finding");
  // A defect of the listener must not be attributed to another module.
  wrong.insert(wrong.end(), accused.begin(), accused.end());
  return {wrong.empty(), fmt::format("{}", fmt::join(wrong, "; ")), {broken.begin(), broken.end()}};
}

class SelfCheck {
 public:
  SelfCheck(RunOptions options, SelfCheckOptions what)
      : options_(std::move(options)), what_(std::move(what)) {
    need_listeners();
    judged_ = judged_on(options_.provider);
    make_report_folder(options_.report, {kSelfCheck});
  }
  int run() {
    const auto begin = std::chrono::steady_clock::now();
    const std::vector<Trial> trials = trials_with_defects();
    if (what_.reference) run_reference();
    run_trials(trials, jobs_of(options_), options_,
               [this](const Trial& trial, int status) { note(trial, status); });
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return conclude(seconds);
  }

 private:
  void run_reference() {
    const Trial trial{.jobs = jobs_of(options_), .report = folder_.path() / "reference"};
    run_trials({trial}, 1, options_, [this](const Trial& ended, int status) {
      reference_ = judge_reference(ended, status);
      if (status > kFinding) broken_ = true;
    });
    fmt::print("reference: {}\n", reference_.noticed ? "passes the whole suite" : reference_.why);
    std::fflush(stdout);
  }

  [[nodiscard]] std::vector<Trial> trials_with_defects() const {
    const unsigned bit = bit_of(options_.provider);
    std::vector<Trial> trials;
    for (const Defect& defect : listener::defects())
      if ((defect.providers & bit) != 0 && (what_.defect.empty() || what_.defect == defect.name) &&
          !(what_.kernel_only && (defect.providers & listener::kOnMock) != 0))
        trials.push_back({.defect = &defect,
                          .filter = tests_against(defect),
                          .report = folder_.path() / std::string(defect.name)});
    if (trials.empty())
      throw SetupError(fmt::format("no defect '{}' shows on {}{}", what_.defect, options_.provider,
                                   defect_suggestion_for(what_.defect)));
    return trials;
  }

  // All tests also show that the defect breaks no other clause. If most experiments time out, that takes
  // minutes.
  [[nodiscard]] std::string tests_against(const Defect& defect) const {
    const bool all = what_.complete && (defect.providers & listener::kHangs) == 0;
    return all ? "*" : std::string(defect.filter);
  }

  void note(const Trial& trial, int status) {
    const Judgement judgement = judge_defect(trial, status, judged_);
    const Defect& defect = *trial.defect;
    auto& [noticed, all] = by_kind_[std::string(name_of(defect.kind))];
    ++all;
    noticed += static_cast<size_t>(judgement.noticed);
    if (!judgement.noticed)
      survivors_.push_back(fmt::format("{}: {} ({})", defect.name, judgement.why, defect.what));
    rows_.push_back({{"name", defect.name},
                     {"kind", name_of(defect.kind)},
                     {"what", defect.what},
                     {"noticed", judgement.noticed},
                     {"why", judgement.why},
                     {"broken", judgement.broken}});
    if (is_quiet() && judgement.noticed) return;
    fmt::print("{:<10} {:<42} {}\n", judgement.noticed ? "noticed" : "SURVIVES", defect.name,
               judgement.noticed ? fmt::format("{}", fmt::join(judgement.broken, " ")) : judgement.why);
    std::fflush(stdout);
  }

  int conclude(double seconds) {
    fmt::print("\nkind            noticed\n");
    size_t noticed = 0;
    size_t all = 0;
    for (const auto& [kind, counts] : by_kind_) {
      fmt::print("{:<15} {:>3} of {}\n", kind, counts.first, counts.second);
      noticed += counts.first;
      all += counts.second;
    }
    for (const std::string& survivor : survivors_) fmt::print("survives: {}\n", survivor);
    fmt::print("{} of {} defects noticed on {}, {:.1f} s\n", noticed, all, options_.provider, seconds);
    const bool good = noticed == all && (!what_.reference || reference_.noticed);
    const int code = broken_ ? kUsage : good ? kConforms : kFinding;
    nlohmann::ordered_json document = {{"schema", "rpma-conformance-self-check/1"},
                                       {"suite", {{"version", kVersion}, {"commit", kCommit}}},
                                       {"provider", options_.provider},
                                       {"seconds", seconds},
                                       {"score", {{"noticed", noticed}, {"of", all}}},
                                       {"defects", rows_},
                                       {"exit_code", code}};
    if (what_.reference) document["reference"] = {{"passed", reference_.noticed}, {"why", reference_.why}};
    write_whole(options_.report / kSelfCheck, document.dump(2) + "\n");
    if (!options_.in_machine) fmt::print("self-check: {}\n", (options_.report / kSelfCheck).string());
    fmt::print("exit code {}\n", code);
    if (wants_json()) print_document(document);
    return code;
  }

  RunOptions options_;
  SelfCheckOptions what_;
  TemporaryFolder folder_;
  std::set<std::string> judged_;
  Judgement reference_;
  bool broken_ = false;
  std::map<std::string, std::pair<size_t, size_t>> by_kind_;  // noticed, of all
  std::vector<std::string> survivors_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

}  // namespace

int self_check_here(const RunOptions& options, const SelfCheckOptions& what) {
  return SelfCheck(options, what).run();
}

int self_check_in_machine(const RunOptions& options, const SelfCheckOptions& what) {
  std::vector<std::string> more;
  if (!what.reference) more.emplace_back("--defects-only");
  if (what.kernel_only) more.emplace_back("--kernel-only");
  if (what.complete) more.emplace_back("--complete");
  if (!what.defect.empty()) more.insert(more.end(), {"--defect", what.defect});
  return run_trials_in_machine("self-check", options, more, kSelfCheck);
}

}  // namespace conformance
