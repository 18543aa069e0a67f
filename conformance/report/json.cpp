// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <climits>

#include "conformance/catalogue/clauses.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;
constexpr size_t kMostCounted = UINT32_MAX;  // of anything, so that sums stay sums
constexpr size_t kMostOfAVerdict = 40;

Json to_json(const ClauseResult& clause) {
  Json json = {{"clause", clause.clause}, {"verdict", name_of(clause.verdict)}};
  if (clause.verdict != Verdict::Pass) json["reason"] = clause.reason;
  if (is_finding(clause.verdict) || !clause.waived.empty()) {
    json["module"] = clause.module;
    json["signature"] = clause.signature;
  }
  if (!clause.stack.empty()) json["stack"] = clause.stack;
  if (!clause.points.empty()) json["points"] = clause.points;
  if (!clause.timeline.empty()) json["timeline"] = clause.timeline;
  if (!clause.waived.empty()) json["waived"] = clause.waived;
  return json;
}

Json to_json(const Stack& stack) {
  Json modules = Json::array();
  for (const StackModule& module : stack.modules)
    modules.push_back({{"role", module.role},
                       {"path", module.path},
                       {"package", module.package},
                       {"build_id", module.build_id},
                       {"sha256", module.sha256}});
  return {{"modules", modules},
          {"kernel", stack.kernel},
          {"distribution", stack.distribution},
          {"device", stack.device},
          {"address", stack.address}};
}

Json to_json(const Outcome& outcome) {
  Json json = {{"verdict", name_of(outcome.verdict())}};
  if (!outcome.passed()) json["reason"] = outcome.reason();
  return json;
}

Json to_json(const Finding& finding) {
  return {{"clause", finding.clause},       {"module", finding.module}, {"verdict", name_of(finding.verdict)},
          {"signature", finding.signature}, {"reason", finding.reason}, {"stack", finding.stack},
          {"tests", finding.tests},         {"points", finding.points}, {"timeline", finding.timeline}};
}

Json flag(const std::vector<std::string>& against) {
  return {{"value", against.empty()}, {"reasons", against}};
}

Verdict verdict_of(const Node& node) {
  const std::string name = node.text();
  const std::optional<Verdict> verdict = verdict_named(name);
  if (!verdict) node.refuse(fmt::format("is no verdict: '{}'", as_one_line(name, kMostOfAVerdict)));
  return *verdict;
}

ClauseResult clause_from(const Node& node) {
  ClauseResult clause = {
      node.at("clause").text(),     verdict_of(node.at("verdict")), node.text_or("reason"),
      node.text_or("module"),       node.text_or("signature"),      node.texts_or_none("stack"),
      node.texts_or_none("points"), node.texts_or_none("timeline"), node.text_or("waived")};
  // Otherwise it would be another one when it is written again: with nobody accused, or nothing waived.
  const bool waived = clause.verdict == Verdict::Waived;
  const std::optional<Verdict> replaced = verdict_named(clause.waived);
  if (waived && (!replaced || !is_finding(*replaced)))
    node.refuse("is waived, and does not say which finding that was: crash, hang or fail");
  if (clause.verdict == Verdict::Pass && !clause.reason.empty()) node.refuse("passes, for a reason");
  if (!waived && !clause.waived.empty()) node.refuse("says what was waived, and is not waived");
  if ((waived || is_finding(clause.verdict)) && clause.module.empty()) node.refuse("accuses nobody");
  return clause;
}

TestResult test_from(const Node& node) {
  TestResult test;
  test.id = node.at("id").text();
  test.what = node.at("what").text();
  test.verdict = verdict_of(node.at("verdict"));
  test.reason = node.text_or("reason");
  if (test.verdict == Verdict::Pass && !test.reason.empty()) node.refuse("passes, for a reason");
  test.seconds = node.at("seconds").number();
  test.points = node.at("points").count(kMostCounted);
  test.experiments = node.count_or("experiments", 0, kMostCounted);
  test.notes = node.texts_or_none("notes");
  for (const Node& clause : node.at("clauses").items()) test.clauses.push_back(clause_from(clause));
  return test;
}

// What is kept as it is, a view must be able to read: members that are texts, or lists of such objects.
void need_texts(const Node& object) {
  for (const auto& [key, value] : object.members()) static_cast<void>(value.text());
}
void need_objects_of_texts(const Node& list) {
  for (const Node& item : list.items()) need_texts(item);
}

Json surroundings_from(const Node& node) {
  for (const auto& [key, value] : node.members()) {
    if (value.json().is_array())
      need_objects_of_texts(value);
    else
      need_texts(value);
  }
  return node.json();
}

Json waivers_from(const Node& node) {
  need_objects_of_texts(node);
  return node.json();
}

Stack stack_from(const Node& node) {
  Stack stack;
  for (const Node& module : node.at("modules").items())
    stack.modules.push_back({module.at("role").text(), module.at("path").text(), module.at("package").text(),
                             module.at("build_id").text(), module.at("sha256").text()});
  stack.kernel = node.at("kernel").text();
  stack.distribution = node.at("distribution").text();
  stack.device = node.at("device").text();
  stack.address = node.at("address").text();
  return stack;
}

ProfileId profile_from(const Node& node) {
  return {node.at("name").text(), static_cast<unsigned>(node.at("version").count(UINT_MAX)),
          node.at("sha256").text(), node.at("rulings_sha256").text()};
}

}  // namespace

Json to_json(const TestResult& test) {
  Json clauses = Json::array();
  for (const ClauseResult& clause : test.clauses) clauses.push_back(to_json(clause));
  Json json = {{"id", test.id}, {"what", test.what}, {"verdict", name_of(test.verdict)}};
  if (test.verdict != Verdict::Pass) json["reason"] = test.reason;
  json["seconds"] = test.seconds;
  json["clauses"] = clauses;
  json["points"] = test.points;
  json["experiments"] = test.experiments;
  if (!test.notes.empty()) json["notes"] = test.notes;
  return json;
}

Json to_json(const PointResult& point) {
  Json json = {{"point", point.point}, {"verdict", name_of(point.verdict)}};
  if (point.verdict != Verdict::Pass) json["reason"] = point.reason;
  if (is_finding(point.verdict)) json["module"] = point.module;
  json["seconds"] = point.seconds;
  if (!point.function.empty()) {
    json["function"] = point.function;
    json["role"] = point.role;
    json["at"] = point.at;
  }
  return json;
}

Json to_json(const RunResult& run) {
  Json clause_table = Json::array();
  const auto judged = by_clause(run);
  for (const Clause& clause : clauses()) {
    Json row = {{"id", clause.id}, {"promise", clause.promise}, {"source", clause.source}};
    const auto found = judged.find(std::string(clause.id));
    row["verdict"] = name_of(found == judged.end() ? Verdict::Skipped : found->second.verdict);
    if (found == judged.end()) {
      row["reason"] = "no test that ran bears on it";
    } else if (found->second.verdict != Verdict::Pass) {
      row["reason"] = found->second.reason;
    }
    clause_table.push_back(row);
  }
  Json tests = Json::array();
  for (const TestResult& test : run.tests) tests.push_back(to_json(test));
  Json parts = Json::array();
  for (const Part& part : run.parts)
    parts.push_back({{"shard", part.shard}, {"started", part.started}, {"seconds", part.seconds}});
  Json calls = Json::array();
  for (const Call& call : run.calls)
    calls.push_back({{"function", call.function},
                     {"role", call.role},
                     {"depth", call.depth},
                     {"result", call.result},
                     {"at", call.at}});
  Json findings = Json::array();
  for (const Finding& finding : findings_of(run)) findings.push_back(to_json(finding));
  return {
      {"schema", kReportFormat},
      {"suite", {{"name", "rpma-conformance"}, {"version", run.suite_version}, {"commit", run.suite_commit}}},
      {"provider", run.provider},
      {"started", run.started},
      {"seconds", run.seconds},
      {"filter", run.filter},
      {"shard", run.shard},
      {"jobs", run.jobs},
      {"seed", run.seed},
      {"chose_all", run.chose_all},
      {"timeout_seconds", run.timeout_seconds},
      {"interrupted", run.interrupted},
      {"resumed", run.resumed},
      {"parts", parts},
      {"profile",
       {{"name", run.profile.name},
        {"version", run.profile.version},
        {"sha256", run.profile.sha256},
        {"rulings_sha256", run.profile.rulings_sha256}}},
      {"waivers", run.waivers},
      {"stack", to_json(run.stack)},
      {"surroundings", run.surroundings},
      {"judge", run.subject},
      {"verdicts",
       {{"iut", to_json(verdict_on(run, "iut"))},
        {"stack", to_json(verdict_on(run, "stack"))},
        {"subject", to_json(verdict_on(run, run.subject))}}},
      {"exit_code", exit_code_of(run)},
      {"complete", flag(incomplete_because(run))},
      {"certifiable", flag(uncertifiable_because(run))},
      {"counts",
       {{"in_profile", run.in_profile},
        {"selected", run.selected},
        {"ran", run.tests.size()},
        {"points", points_of(run)},
        {"experiments", run.experiments}}},
      {"clauses", clause_table},
      {"findings", findings},
      {"calls", calls},
      {"tests", tests},
      {"kernel_log", run.kernel_log}};
}

TestResult test_from_json(const Json& json) {
  return test_from(Node(json));
}

RunResult from_json(const Json& json) {
  const Node document(json);
  if (const std::string schema = document.text_or("schema"); schema != kReportFormat)
    document.refuse(fmt::format("is not of schema {}", kReportFormat));
  RunResult run;
  run.suite_version = document.at("suite").at("version").text();
  run.suite_commit = document.at("suite").at("commit").text();
  run.provider = document.at("provider").text();
  run.started = document.at("started").text();
  run.seconds = document.at("seconds").number();
  run.filter = document.at("filter").text();
  run.subject = document.at("judge").text();
  run.shard = document.at("shard").text();
  run.jobs = static_cast<unsigned>(document.at("jobs").count(UINT_MAX));
  run.seed = document.at("seed").count(UINT64_MAX);
  run.chose_all = document.at("chose_all").flag();
  run.timeout_seconds = document.at("timeout_seconds").number();
  run.interrupted = document.at("interrupted").text();
  run.resumed = static_cast<unsigned>(document.at("resumed").count(UINT_MAX));
  for (const Node& part : document.at("parts").items())
    run.parts.push_back({part.at("shard").text(), part.at("started").text(), part.at("seconds").number()});
  run.profile = profile_from(document.at("profile"));
  run.waivers = waivers_from(document.at("waivers"));
  run.surroundings = surroundings_from(document.at("surroundings"));
  for (const Node& call : document.at("calls").items())
    run.calls.push_back({call.at("function").text(), call.at("role").text(),
                         static_cast<unsigned>(call.at("depth").count(UINT_MAX)), call.at("result").text(),
                         call.at("at").text()});
  const Node counts = document.at("counts");
  run.in_profile = counts.at("in_profile").count(kMostCounted);
  run.selected = counts.at("selected").count(kMostCounted);
  run.experiments = counts.at("experiments").count(kMostCounted);
  for (const Node& test : document.at("tests").items()) run.tests.push_back(test_from(test));
  run.kernel_log = document.at("kernel_log").texts();
  run.stack = stack_from(document.at("stack"));
  return run;
}

RunResult read_report(const std::filesystem::path& file, std::string_view hint) {
  const Expected expected = {.what = "report", .schema = kReportFormat, .hint = hint};
  const Json document = read_document(file, expected);
  try {
    return from_json(document);
  } catch (const DocumentError& error) {
    refuse_document(file, expected, error.what());
  }
}

}  // namespace conformance
