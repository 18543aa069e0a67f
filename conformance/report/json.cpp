// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <stdexcept>

#include "conformance/catalogue/clauses.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "rpma-conformance/1";

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

Verdict read_verdict(const Json& json) {
  const std::optional<Verdict> verdict = verdict_named(json.get<std::string>());
  if (!verdict) throw std::runtime_error(fmt::format("'{}' is no verdict", json.get<std::string>()));
  return *verdict;
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
      {"schema", kSchema},
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
  TestResult test;
  test.id = json.at("id");
  test.what = json.at("what");
  test.verdict = read_verdict(json.at("verdict"));
  test.reason = json.value("reason", "");
  test.seconds = json.at("seconds");
  test.points = json.at("points");
  test.experiments = json.value("experiments", size_t{0});
  test.notes = json.value("notes", std::vector<std::string>());
  using Texts = std::vector<std::string>;
  for (const Json& clause : json.at("clauses"))
    test.clauses.push_back(
        {clause.at("clause"), read_verdict(clause.at("verdict")), clause.value("reason", ""),
         clause.value("module", ""), clause.value("signature", ""), clause.value("stack", Texts()),
         clause.value("points", Texts()), clause.value("timeline", Texts()), clause.value("waived", "")});
  return test;
}

RunResult from_json(const Json& document) {
  if (!document.is_object() || document.value("schema", "") != kSchema)
    throw std::runtime_error(fmt::format("is not a report of schema {}", kSchema));
  RunResult run;
  run.suite_version = document.at("suite").at("version");
  run.suite_commit = document.at("suite").at("commit");
  run.provider = document.at("provider");
  run.started = document.at("started");
  run.seconds = document.at("seconds");
  run.filter = document.at("filter");
  run.subject = document.at("judge");
  run.shard = document.at("shard");
  run.jobs = document.at("jobs");
  run.seed = document.at("seed");
  run.chose_all = document.at("chose_all");
  run.timeout_seconds = document.at("timeout_seconds");
  run.interrupted = document.at("interrupted");
  run.resumed = document.at("resumed");
  for (const Json& part : document.at("parts"))
    run.parts.push_back({part.at("shard"), part.at("started"), part.at("seconds")});
  const Json& profile = document.at("profile");
  run.profile = {profile.at("name"), profile.at("version"), profile.at("sha256"),
                 profile.at("rulings_sha256")};
  run.waivers = document.at("waivers");
  run.surroundings = document.at("surroundings");
  for (const Json& call : document.at("calls"))
    run.calls.push_back(
        {call.at("function"), call.at("role"), call.at("depth"), call.at("result"), call.at("at")});
  run.in_profile = document.at("counts").at("in_profile");
  run.selected = document.at("counts").at("selected");
  run.experiments = document.at("counts").at("experiments");
  for (const Json& test : document.at("tests")) run.tests.push_back(test_from_json(test));
  run.kernel_log = document.at("kernel_log").get<std::vector<std::string>>();
  const Json& stack = document.at("stack");
  run.stack.kernel = stack.at("kernel");
  run.stack.distribution = stack.at("distribution");
  run.stack.device = stack.at("device");
  run.stack.address = stack.at("address");
  for (const Json& module : stack.at("modules"))
    run.stack.modules.push_back({module.at("role"), module.at("path"), module.at("package"),
                                 module.at("build_id"), module.at("sha256")});
  return run;
}

}  // namespace conformance
