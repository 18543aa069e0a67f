// SPDX-License-Identifier: BSD-3-Clause
//
// `explain CLAUSE|POINT`: the promise, how it is tested, and what a report saw.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/catalogue/clauses.h"
#include "conformance/catalogue/rulings.h"
#include "conformance/harness/conditions.h"
#include "conformance/harness/expectations.h"
#include "conformance/report/document.h"
#include "conformance/report/recorded.h"
#include "conformance/report/report.h"
#include "conformance/suite/matrix.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/command_line.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"
#include "conformance/tool/suggest.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMostOfAName = 100;
constexpr std::string_view kOtherReport = "name another folder with --report";

void print_clause(const Clause& clause) {
  fmt::print("{}\n  promised: {}\n  source:   {}\n", clause.id, clause.promise, clause.source);
  for (const Ruling& ruling : rulings())
    if (clause.source.find(fmt::format("ruling {}", ruling.number)) != std::string_view::npos)
      fmt::print("  ruling {}: {}\n", ruling.number, ruling.text);
}

// Computed from the results: a report is not trusted.
std::string seen_of_clause(const RunResult& run, std::string_view clause) {
  std::string text;
  for (const std::string& test : tests_that_saw_besides(run, clause))
    text += fmt::format("            {}: does not test it, but saw a finding of it\n", as_one_line(test));
  const auto judged = by_clause(run);
  if (const auto seen = judged.find(std::string(clause)); seen == judged.end())
    text += fmt::format("  seen:     no test of it ran (report of {}, provider {})\n",
                        as_one_line(run.started), as_one_line(run.provider));
  else
    text += fmt::format("  seen:     {}{} (report of {}, provider {})\n", name_of(seen->second.verdict),
                        seen->second.verdict == Verdict::Pass ? "" : ": " + as_one_line(seen->second.reason),
                        as_one_line(run.started), as_one_line(run.provider));
  for (const Finding& finding : findings_of(run)) {
    if (finding.clause != clause) continue;
    text += fmt::format("  finding:  {} by {}: {}\n", name_of(finding.verdict), as_one_line(finding.module),
                        as_one_line(finding.reason));
    for (const std::string& point : finding.points)
      text += fmt::format("            {}\n", as_one_line(point));
  }
  return text;
}

std::string seen_in_report(const ShownReport& report, std::string_view clause) {
  if (!has(report, "report.json"))
    return fmt::format("  seen:     no report in {}; 'rpma-conformance run' makes one\n",
                       as_one_line(report.folder.string()));
  return seen_of_clause(read_report(report.folder / "report.json", kOtherReport), clause);
}

// As a report saw it; null where there is no report.
Json seen_as_json(const ShownReport& report, std::string_view clause) {
  if (!has(report, "report.json")) return nullptr;
  const RunResult run = read_report(report.folder / "report.json", kOtherReport);
  Json seen = {{"started", run.started}, {"provider", run.provider}, {"verdict", nullptr}, {"reason", ""}};
  const auto judged = by_clause(run);
  if (const auto found = judged.find(std::string(clause)); found != judged.end()) {
    seen["verdict"] = name_of(found->second.verdict);
    seen["reason"] = found->second.reason;
  }
  seen["also_seen_by"] = tests_that_saw_besides(run, clause);
  Json findings = Json::array();
  for (const Finding& finding : findings_of(run))
    if (finding.clause == clause)
      findings.push_back({{"verdict", name_of(finding.verdict)},
                          {"module", finding.module},
                          {"reason", finding.reason},
                          {"points", finding.points}});
  seen["findings"] = findings;
  return seen;
}

int print_clause_document(const Clause& clause, const ShownReport& report) {
  Json ruled = Json::array();
  for (const Ruling& ruling : rulings())
    if (clause.source.find(fmt::format("ruling {}", ruling.number)) != std::string_view::npos)
      ruled.push_back({{"number", ruling.number}, {"text", ruling.text}});
  Json tests = Json::array();
  for (const Test& test : all_tests()) {
    const std::vector<std::string_view> ids = clauses_of(test, false);
    if (std::ranges::find(ids, clause.id) != ids.end()) tests.push_back(test.id());
  }
  print_document({{"schema", "rpma-conformance-explain/1"},
                  {"clause", clause.id},
                  {"promised", clause.promise},
                  {"source", clause.source},
                  {"rulings", ruled},
                  {"tests", tests},
                  {"seen", seen_as_json(report, clause.id)}});
  return kConforms;
}

int explain_clause(const Clause& clause, const ShownReport& report) {
  if (wants_json()) return print_clause_document(clause, report);
  const std::string seen = seen_in_report(report, clause.id);  // complains before anything is printed
  print_clause(clause);
  fmt::print("  tests:\n");
  size_t more = 0;
  std::string last;
  for (const Test& test : all_tests()) {
    const std::vector<std::string_view> ids = clauses_of(test, false);
    if (std::ranges::find(ids, clause.id) == ids.end()) continue;
    // Rows of one test differ in what follows the slash.
    const std::string family = test.id().substr(0, test.id().find('/'));
    if (family == last) {
      ++more;
      continue;
    }
    if (more > 0) fmt::print("            ... and {} more of {}\n", more, last);
    more = 0;
    last = family;
    fmt::print("            {}: {}\n", test.id(), test.what);
  }
  if (more > 0) fmt::print("            ... and {} more of {}\n", more, last);
  fmt::print("{}", seen);
  return kConforms;
}

// "the 3rd and each later", "each"
std::string when_in_words(const rdmafault_rule& rule) {
  if (rule.first == 1 && rule.last == UINT64_MAX && rule.step <= 1) return "each call";
  if (rule.first == rule.last) return fmt::format("call {}", rule.first);
  std::string text = rule.last == UINT64_MAX ? fmt::format("call {} and those after it", rule.first)
                                             : fmt::format("calls {} to {}", rule.first, rule.last);
  if (rule.step > 1) text += fmt::format(", every {}", rule.step);
  return text;
}

std::string caller_in_words(const rdmafault_rule& rule) {
  switch (rule.caller) {
    case RDMAFAULT_CALLER_IS:
    case RDMAFAULT_ROLE_IS:
      return fmt::format("made by {}", rule.caller_name);
    case RDMAFAULT_CALLER_IS_NOT:
    case RDMAFAULT_ROLE_IS_NOT:
      return fmt::format("made by any module but {}", rule.caller_name);
    default:
      return "made by any module";
  }
}

std::string_view start_in_words(Start start) {
  switch (start) {
    case Start::Cold:
      return "librdmacm was never called in the process; the peer comes from ibv_open_device";
    case Start::Primed:
      return "the peer comes from rpma_utils_get_ibv_context, as most programs do it";
    case Start::Warm:
      break;
  }
  return "like primed, and one listen and shutdown were completed before";
}

void print_done(const Experiment& experiment) {
  fmt::print("  done:     {} is called once", experiment.operation->function());
  if (const std::string variant = experiment.operation->variant(); !variant.empty())
    fmt::print(" with {}", variant);
  fmt::print("\n            start: {} ({})\n", name_of(experiment.start), start_in_words(experiment.start));
  fmt::print("            *ep_ptr before the call: {}\n", experiment.sentinel == Sentinel::Null ? "NULL"
                                                          : experiment.sentinel == Sentinel::Wild
                                                              ? "a wild pointer"
                                                              : "the handle of a live endpoint");
  for (const Rule& rule : experiment.rules) {
    const std::string function = rule.text.substr(0, rule.text.find(':'));
    fmt::print("            {}: {} {} {} to fail: {}\n", function, when_in_words(rule.parsed),
               caller_in_words(rule.parsed), rule.parsed.first == rule.parsed.last ? "is made" : "are made",
               rule.text);
  }
  if (const Condition* condition = find_condition(experiment.condition); condition != nullptr)
    fmt::print("            condition: {} ({})\n", condition->what, experiment.condition);
  if (!experiment.script.empty()) fmt::print("            the mock plays: {}\n", experiment.script);
  if (experiment.logger == Logger::Default) fmt::print("            librpma's own log function is active\n");
  if (experiment.threads > 1)
    fmt::print("            {} threads are armed at once and take turns; every second one has the faults\n",
               experiment.threads);
}

Expectation expectation_at(const Experiment& experiment, const std::string& point) {
  const std::optional<Expectation> in_suite = expectation_in_suite(point);
  return in_suite ? *in_suite : ruled_beforehand(experiment);
}

void print_promised(const Experiment& experiment, const std::string& point) {
  const Expectation expectation = expectation_at(experiment, point);
  fmt::print("  promised:\n");
  for (const std::string_view id : clauses_judged(expectation, false)) {
    const Clause* clause = find_clause(id);
    if (clause != nullptr) fmt::print("            {:<19} {}\n", clause->id, clause->promise);
  }
  if (expectation.promise != Promise::Either) return;
  fmt::print("            and what any failure or success promises\n");
  fmt::print("  ruling 1: {}\n", rulings().front().text);
}

// What points.jsonl has of a point. It is there as soon as the point was tried, even if the run was
// interrupted.
Json seen_at_point(const ShownReport& report, const std::string& point) {
  constexpr Expected kExpected = {
      .what = "list of points", .hint = kOtherReport, .most_bytes = kMostJournalBytes};
  const std::filesystem::path file = report.folder / "points.jsonl";
  Json seen = Json::array();
  const auto show = [&](const nlohmann::ordered_json& json) {
    const RecordedPoint line = recorded_point(json);
    if (line.result.point == point)
      seen.push_back(
          {{"verdict", name_of(line.result.verdict)}, {"test", line.test}, {"reason", line.result.reason}});
  };
  try {
    if (has(report, "points.jsonl")) for_each_line(read_file(file, kExpected), kPointLines, show);
  } catch (const DocumentError& error) {
    refuse_document(file, kExpected, error.what());
  }
  return seen;
}

void print_seen_at_point(const ShownReport& report, const Json& seen) {
  for (const Json& line : seen) {
    const std::string reason = line.at("reason");
    fmt::print("  seen:     {} in {}{}\n", as_one_line(line.at("verdict").get<std::string>()),
               as_one_line(line.at("test").get<std::string>()),
               reason.empty() ? "" : ": " + as_one_line(reason));
  }
  if (seen.empty())
    fmt::print("  seen:     nothing in {}; 'rpma-conformance replay' shows it call by call\n",
               as_one_line(report.folder.string()));
}

int print_point_document(const Experiment& experiment, const std::string& point, const Json& seen) {
  Json promised = Json::array();
  for (const std::string_view id : clauses_judged(expectation_at(experiment, point), false))
    if (const Clause* clause = find_clause(id); clause != nullptr)
      promised.push_back({{"clause", clause->id}, {"promise", clause->promise}});
  Json rules = Json::array();
  for (const Rule& rule : experiment.rules) rules.push_back(rule.text);
  print_document({{"schema", "rpma-conformance-explain/1"},
                  {"point", point},
                  {"function", experiment.operation->function()},
                  {"arguments", experiment.operation->variant()},
                  {"start", name_of(experiment.start)},
                  {"sentinel", name_of(experiment.sentinel)},
                  {"rules", rules},
                  {"condition", experiment.condition},
                  {"script", experiment.script},
                  {"threads", experiment.threads},
                  {"promised", promised},
                  {"seen", seen}});
  return kConforms;
}

}  // namespace

int explain(const std::string& what, const ShownReport& report) {
  if (const Clause* clause = find_clause(what); clause != nullptr) return explain_clause(*clause, report);
  if (const std::optional<int> code = explain_test(what, report)) return *code;
  // A test's id has a dot behind its group; a point begins with a function.
  const bool is_point = what.find('/') != std::string::npos && what[what.find_first_of("./(")] != '.';
  if (!is_point) {
    std::vector<std::string> names = clause_names();
    for (std::string& test : test_names()) names.push_back(std::move(test));
    const std::string similar = did_you_mean(what, names);
    throw SetupError(fmt::format("'{}' is not a clause, a test or a point{}", as_one_line(what, kMostOfAName),
                                 similar.empty() ? "; see 'rpma-conformance list [--clauses]'" : similar));
  }
  const Experiment experiment = read_point(what);
  const Json seen = seen_at_point(report, what);
  if (wants_json()) return print_point_document(experiment, what, seen);
  fmt::print("{}\n", what);
  print_promised(experiment, what);
  print_done(experiment);
  print_seen_at_point(report, seen);
  return kConforms;
}

}  // namespace conformance
