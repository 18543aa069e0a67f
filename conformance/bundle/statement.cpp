// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/statement.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "conformance/report/digest.h"
#include "conformance/report/document.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kStatementType = "https://in-toto.io/Statement/v1";
constexpr const char* kPredicateType = "https://in-toto.io/attestation/test-result/v0.1";

Json descriptor(const std::string& name, const std::string& digest) {
  return {{"name", name}, {"digest", {{"sha256", digest}}}};
}

Json describe(const StackModule& module) {
  Json json = descriptor(module.path, module.sha256);
  json["annotations"] = {{"role", module.role}, {"package", module.package}, {"build_id", module.build_id}};
  return json;
}

Json configuration_of(const RunResult& run) {
  Json list = Json::array();
  const std::string digits = run.suite_commit.substr(0, kCommitSize);
  if (is_clean_commit(digits))
    list.push_back(
        {{"name", "rpma-conformance"},
         {"digest", {{"gitCommit", digits}}},
         {"annotations", {{"version", run.suite_version}, {"clean", is_clean_commit(run.suite_commit)}}}});
  Json profile = descriptor("profile " + run.profile.id(), run.profile.sha256);
  profile["annotations"] = {{"rulings_sha256", run.profile.rulings_sha256}};
  list.push_back(std::move(profile));
  for (const StackModule& module : run.stack.modules)
    if (!is_about(run.subject, module.role)) list.push_back(describe(module));
  return list;
}

bool accuses_subject(const TestResult& test, const std::string& subject) {
  return std::ranges::any_of(test.clauses, [&subject](const ClauseResult& clause) {
    return is_finding(clause.verdict) && is_about(subject, clause.module);
  });
}

Json predicate_of(const RunResult& run) {
  std::vector<std::string> passed;
  std::vector<std::string> warned;
  std::vector<std::string> failed;
  for (const TestResult& test : run.tests) {
    if (test.verdict == Verdict::Pass)
      passed.push_back(test.id);
    else
      (accuses_subject(test, run.subject) ? failed : warned).push_back(test.id);
  }
  return {{"result", result_of(run)},
          {"configuration", configuration_of(run)},
          {"passedTests", passed},
          {"warnedTests", warned},
          {"failedTests", failed}};
}

}  // namespace

std::array<std::string_view, kReportFiles.size() + 4> member_names() {
  std::array<std::string_view, kReportFiles.size() + 4> names{kManifest, kStatement, kEnvelope, kSums};
  std::ranges::transform(kReportFiles, names.begin() + 4, &MemberName::name);
  return names;
}

std::string manifest_of(const RunResult& run, const Members& files, const Packer& packed_by) {
  Json members = Json::array();
  for (const auto& [name, content] : files)
    members.push_back({{"name", name}, {"size", content.size()}, {"sha256", sha256(content)}});
  const Json manifest = {
      {"schema", kManifestSchema},
      {"suite",
       {{"name", "rpma-conformance"},
        {"version", run.suite_version},
        {"commit", run.suite_commit},
        {"clean", is_clean_commit(run.suite_commit)}}},
      {"profile",
       {{"name", run.profile.name},
        {"version", run.profile.version},
        {"sha256", run.profile.sha256},
        {"rulings_sha256", run.profile.rulings_sha256}}},
      {"packed_by", {{"libarchive", packed_by.libarchive}, {"libzstd", packed_by.libzstd}}},
      {"members", members}};
  return manifest.dump(2) + "\n";
}

Packer packer_in(const std::string& manifest) {
  const Json by = parse_document(manifest).at("packed_by");
  return {by.at("libarchive"), by.at("libzstd")};
}

std::string_view result_of(const RunResult& run) {
  if (is_finding(verdict_on(run, run.subject).verdict())) return "FAILED";
  return uncertifiable_because(run).empty() ? "PASSED" : "WARNED";
}

std::string statement_of(const RunResult& run, const Members& files) {
  Json subject = Json::array();
  for (const auto& [name, content] : files) subject.push_back(descriptor(name, sha256(content)));
  for (const StackModule& module : run.stack.modules)
    if (is_about(run.subject, module.role)) subject.push_back(describe(module));
  const Json statement = {{"_type", kStatementType},
                          {"subject", subject},
                          {"predicateType", kPredicateType},
                          {"predicate", predicate_of(run)}};
  return statement.dump(2) + "\n";
}

std::string sums_of(const Members& members) {
  std::string sums;
  for (const auto& [name, content] : members)
    if (name != kSums) sums += fmt::format("{}  {}\n", sha256(content), name);
  return sums;
}

}  // namespace conformance
