// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tests/sample_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "conformance/report/report.h"
#include "conformance/report/schemas.h"
#include "conformance/report/waivers.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kKernelClause = "STACK-KERNEL-1";
constexpr const char* kSampleCommit = "0123456789abcdef0123456789abcdef01234567";

std::string point_of(const std::string& test) {
  return fmt::format("rpma_ep_listen/sample:{}/cold/null", test);
}

std::string as_line(const Json& json) {
  return json.dump() + "\n";
}

// What the points were of which the results tell.
std::string points_of_tests(const std::vector<TestResult>& tests) {
  std::string lines;
  for (const TestResult& test : tests) {
    if (test.points == 0) continue;
    PointResult point{point_of(test.id), Verdict::Pass, "", "", 0.25};
    point.function = "calloc";
    point.role = "rdmacm";
    point.at = "librdmacm!rdma_create_id";
    for (const ClauseResult& clause : test.clauses)
      if (clause.verdict < point.verdict) {
        point.verdict = clause.verdict;
        point.reason = fmt::format("{}: {}", clause.clause, clause.reason);
        point.module = clause.module;
      }
    Json line = {{"test", test.id}};
    line.update(to_json(point));
    lines += as_line(line);
  }
  return lines;
}

// What it was told: nothing but what it has from the defaults.
Json run_record_of(const RunResult& run, bool has_waivers) {
  return {{"schema", "rpma-conformance-run/1"},
          {"suite", {{"version", run.suite_version}, {"commit", run.suite_commit}}},
          {"options",
           {{"provider", run.provider},
            {"device", ""},
            {"addr", ""},
            {"librpma", ""},
            {"rdma_core", ""},
            {"kernel", ""},
            {"judge", run.subject},
            {"profile", run.profile.name},
            {"filter", run.filter},
            {"shard", run.shard},
            {"seed", run.seed},
            {"complete", run.chose_all},
            {"timeout", 0},
            {"allow_disruptive", false},
            {"baseline", ""},
            {"waivers", has_waivers ? "waivers.json" : ""}}},
          {"machine", ""},
          {"inner_report", ""}};
}

}  // namespace

Profile small_profile() {
  const Json document = {
      {"schema", "rpma-conformance-profile/1"},
      {"name", "small"},
      {"version", 1},
      {"clauses",
       {{{"id", "LISTEN-RET-1"},
         {"promise", "Where nothing underneath fails, the call returns 0."},
         {"source", "rpma_ep_listen(3), RETURN VALUE"}},
        {{"id", "LISTEN-RET-2"},
         {"promise", "Where it fails, the call returns, and what it returns is a negative code."},
         {"source", "rpma_ep_listen(3), RETURN VALUE"}}}},
      {"rulings", {{{"number", 1}, {"text", "A ruling."}}}},
      {"tests",
       {{{"id", "Listen.First"}, {"providers", {"mock", "rxe"}}},
        {{"id", "Listen.Second"}, {"providers", {"rxe"}}}}}};
  return parse_profile(document.dump());
}

RunResult passing_run(const Profile& profile) {
  RunResult run;
  run.suite_version = "1.0.0";
  run.suite_commit = kSampleCommit;
  run.provider = "rxe";
  run.started = "2026-06-01T12:00:00Z";
  run.filter = "*";
  run.profile = {profile.name, profile.version, profile.sha256, profile.rulings_sha256};
  run.stack.kernel = "6.1.0-50-amd64 #1 SMP";
  run.stack.distribution = "Debian GNU/Linux 12 (bookworm)";
  run.stack.device = "rxe0";
  run.stack.address = "192.0.2.1";
  for (const auto& [role, path, package] : {std::tuple("iut", "/lib/librpma.so.0", "librpma0 1.2.0-1"),
                                            std::tuple("rdmacm", "/lib/librdmacm.so.1", "librdmacm1 44.0-2")})
    run.stack.modules.push_back(
        {role, path, package, "0123abcd", std::string(64, role[0] == 'i' ? 'a' : 'b')});
  run.surroundings = std::make_shared<const Json>(Json{{"limits", {{"open files", "1024"}}}});
  run.calls.push_back({"rdma_create_event_channel", "iut", 0, "not NULL", "librpma!rpma_ep_listen"});
  run.seed = 0xffff'ffff'ffff'ffff;  // what a signed number cannot hold
  run.timeout_seconds = 20;
  run.jobs = 2;
  run.seconds = 12.5;
  run.kernel_log = {"rxe0: added dummy0"};
  const std::vector<std::string> ids = profile.tests_on(run.provider);
  std::vector<std::string> clauses(profile.clauses.begin(), profile.clauses.end());
  std::erase(clauses, kKernelClause);
  size_t next = 0;
  for (const std::string& id : ids) {
    const bool kernel = id == kKernelTest;
    TestResult test{id, "What it is about.", Verdict::Pass, "", {}, kernel ? 0U : 1U, kernel ? 0U : 1U};
    test.clauses.push_back(
        {kernel ? kKernelClause : clauses[next++ % clauses.size()], Verdict::Pass, "", ""});
    if (kernel) test.clauses.back().points = {id};
    test.seconds = 0.5;
    run.tests.push_back(std::move(test));
  }
  run.in_profile = run.selected = ids.size();
  return run;
}

void add_finding(RunResult& run, const std::string& test, const std::string& clause,
                 const std::string& module) {
  const auto found = std::ranges::find(run.tests, test, &TestResult::id);
  ClauseResult broken{clause, Verdict::Fail, "returned 7", module, "returned 7", {}, {point_of(test)}};
  broken.timeline = {"     rdma_create_id() = 0"};
  found->clauses.push_back(std::move(broken));
  const Outcome outcome = outcome_of(found->clauses);
  found->verdict = outcome.verdict();
  found->reason = outcome.reason();
}

std::string waivers_for(const std::string& clause, const std::string& module, const std::string& expires) {
  const Json document = {{"schema", kWaiversSchema},
                         {"waivers",
                          {{{"clause", clause},
                            {"module", module},
                            {"package", "librdmacm1"},
                            {"from", "44.0-1"},
                            {"to", "44.0-2"},
                            {"owner", "the stack's maintainers"},
                            {"reason", "fixed upstream"},
                            {"link", "https://example.com/1"},
                            {"expires", expires}}}}};
  return document.dump(2) + "\n";
}

Members files_of(RunResult run, const Profile& profile, const std::string& waivers) {
  Members files;
  Json header = {{"started", run.started},
                 {"suite", run.suite_commit},
                 {"provider", run.provider},
                 {"profile", run.profile.sha256}};
  for (const StackModule& module : run.stack.modules) header[module.path] = module.sha256;
  std::string journal = as_line(header);
  run.experiments = 0;
  for (const TestResult& test : run.tests) run.experiments += test.experiments;
  for (const TestResult& test : run.tests) journal += as_line(to_json(test));
  files["results.jsonl"] = journal;
  files["points.jsonl"] = points_of_tests(run.tests);
  files["profile.json"] = profile.document;
  for (const std::string& line : run.kernel_log) files["kernel.jsonl"] += as_line({{"line", line}});
  files["run.json"] = run_record_of(run, !waivers.empty()).dump(2) + "\n";
  if (!waivers.empty()) {
    files["waivers.json"] = waivers;
    apply_waivers(parse_waivers(Json::parse(waivers), run.started.substr(0, 10)), run);
  }
  files["junit.xml"] = to_junit(run);
  files["report.tap"] = to_tap(run);
  files["report.json"] = to_json(run).dump(2) + "\n";
  return files;
}

void write_folder(const std::filesystem::path& folder, const Members& files) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, content] : files) std::ofstream(folder / name, std::ios::binary) << content;
}

}  // namespace conformance
