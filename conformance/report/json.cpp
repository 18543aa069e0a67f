// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "conformance/catalogue/clauses.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"
#include "conformance/report/waivers.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

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

// The documents are valid by their schemas: what is required is there, and of its type.
template <typename Value>
void take(const Json& json, const char* key, Value& value) {
  if (const auto found = json.find(key); found != json.end()) found->get_to(value);
}

void take(const Json& json, const char* key, Verdict& verdict) {
  verdict = *verdict_named(json.at(key).get<std::string>());
}

ClauseResult clause_from(const Json& json) {
  ClauseResult clause;
  take(json, "clause", clause.clause);
  take(json, "verdict", clause.verdict);
  take(json, "reason", clause.reason);
  take(json, "module", clause.module);
  take(json, "signature", clause.signature);
  take(json, "stack", clause.stack);
  take(json, "points", clause.points);
  take(json, "timeline", clause.timeline);
  take(json, "waived", clause.waived);
  return clause;
}

Stack stack_from(const Json& json) {
  Stack stack;
  for (const Json& module : json.at("modules"))
    stack.modules.push_back({module.at("role"), module.at("path"), module.at("package"),
                             module.at("build_id"), module.at("sha256")});
  take(json, "kernel", stack.kernel);
  take(json, "distribution", stack.distribution);
  take(json, "device", stack.device);
  take(json, "address", stack.address);
  return stack;
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
      row["reason"] = "no test of this clause ran";
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
      {"schema", kReportSchema},
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
      {"waivers", to_json(run.waivers)},
      {"stack", to_json(run.stack)},
      {"surroundings", run.surroundings ? *run.surroundings : Json::object()},
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
  TestResult test;
  take(json, "id", test.id);
  take(json, "what", test.what);
  take(json, "verdict", test.verdict);
  take(json, "reason", test.reason);
  take(json, "seconds", test.seconds);
  take(json, "points", test.points);
  take(json, "experiments", test.experiments);
  take(json, "notes", test.notes);
  for (const Json& clause : json.at("clauses")) test.clauses.push_back(clause_from(clause));
  return test;
}

RunResult from_json(const Json& json) {
  RunResult run;
  take(json.at("suite"), "version", run.suite_version);
  take(json.at("suite"), "commit", run.suite_commit);
  take(json, "provider", run.provider);
  take(json, "started", run.started);
  take(json, "seconds", run.seconds);
  take(json, "filter", run.filter);
  take(json, "judge", run.subject);
  take(json, "shard", run.shard);
  take(json, "jobs", run.jobs);
  // The validator takes 64 bits without a sign for a negative number.
  if (const Json& seed = json.at("seed"); !seed.is_number_unsigned() && seed < 0)
    throw DocumentError("/seed: negative");
  take(json, "seed", run.seed);
  take(json, "chose_all", run.chose_all);
  take(json, "timeout_seconds", run.timeout_seconds);
  take(json, "interrupted", run.interrupted);
  take(json, "resumed", run.resumed);
  for (const Json& part : json.at("parts"))
    run.parts.push_back({part.at("shard"), part.at("started"), part.at("seconds")});
  const Json& profile = json.at("profile");
  run.profile = {profile.at("name"), profile.at("version"), profile.at("sha256"),
                 profile.at("rulings_sha256")};
  for (const Json& waiver : json.at("waivers")) run.waivers.push_back(waiver_from_json(waiver));
  run.surroundings = std::make_shared<const Json>(json.at("surroundings"));
  for (const Json& call : json.at("calls"))
    run.calls.push_back(
        {call.at("function"), call.at("role"), call.at("depth"), call.at("result"), call.at("at")});
  const Json& counts = json.at("counts");
  take(counts, "in_profile", run.in_profile);
  take(counts, "selected", run.selected);
  take(counts, "experiments", run.experiments);
  for (const Json& test : json.at("tests")) run.tests.push_back(test_from_json(test));
  take(json, "kernel_log", run.kernel_log);
  run.stack = stack_from(json.at("stack"));
  return run;
}

RunResult read_report(const std::filesystem::path& file, std::string_view hint) {
  const Expected expected = {.what = "report", .schema = kReportSchema, .hint = hint};
  const Json document = read_document(file, expected);
  try {
    return from_json(document);
  } catch (const DocumentError& error) {
    refuse_document(file, expected, error.what());
  }
}

}  // namespace conformance
