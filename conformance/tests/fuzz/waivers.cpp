// SPDX-License-Identifier: BSD-3-Clause
//
// Waivers (parse_waivers). Only DocumentError may be thrown, with one short line. An accepted waiver has an
// owner and an end, and is not a pattern. Applied to a run it makes no finding a pass and loses no point:
// each is still a finding or listed as waived.
#include <nlohmann/json.hpp>
#include <set>

#include "conformance/report/document.h"
#include "conformance/report/waivers.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

namespace {

constexpr const char* kDay = "2026-11-30";
constexpr const char* kLastDay = "2027-12-01";  // a year and a day, and none of it is over

// A run with findings that the waivers of the corpus name, some of them at several points.
RunResult run_with_findings() {
  RunResult run;
  run.provider = "mock";
  run.stack.kernel = "6.1.0-50-amd64 #1 SMP";
  run.stack.modules = {{"iut", "/lib/librpma.so.0", "librpma0 1.2.0-1", "a7a0", ""},
                       {"rdmacm", "/lib/librdmacm.so.1", "librdmacm1 44.0-2", "dbe0", ""}};
  const auto add = [&run](const char* id, const char* clause, const char* module,
                          std::vector<std::string> points) {
    TestResult test;
    test.id = id;
    test.verdict = Verdict::Fail;
    test.reason = "it broke";
    test.clauses.push_back({clause, Verdict::Fail, "it broke", module, "it broke"});
    test.clauses.back().points = std::move(points);
    test.clauses.push_back({"LISTEN-RET-1", Verdict::Pass, "", ""});
    run.tests.push_back(std::move(test));
  };
  add("Sweep.Allocations/Cold", "LISTEN-RET-2", "rdmacm",
      {"rpma_ep_listen/calloc:error=ENOMEM:when=3:caller=@rdmacm/cold/null", "rpma_ep_listen/cold/null"});
  add("Sweep.Allocations/Warm", "LISTEN-LEAK-2", "iut", {"rpma_ep_listen/warm/live"});
  add("Stack.Kernel", "STACK-KERNEL-1", "kernel", {"Stack.Kernel"});
  run.selected = run.in_profile = run.tests.size();
  return run;
}

using Points = std::multiset<std::pair<std::string, std::string>>;  // clause and point

Points points_that_did_not_pass(const RunResult& run) {
  Points points;
  for (const TestResult& test : run.tests)
    for (const ClauseResult& clause : test.clauses)
      if (clause.verdict != Verdict::Pass)
        for (const std::string& point : clause.points) points.emplace(clause.clause, point);
  return points;
}

void check(const std::vector<Waiver>& waivers) {
  for (const Waiver& waiver : waivers) {
    must(!waiver.owner.empty() && !waiver.reason.empty() && !waiver.link.empty(),
         "a waiver has an owner, a reason and a link");
    must(!waiver.module.empty() && !(waiver.clause.empty() && waiver.point.empty()),
         "a waiver says for what it is");
    must((waiver.from.empty() || waiver.to.empty()) != waiver.build_id.empty(),
         "a waiver says for which version it is");
    must(waiver.expires >= kDay && waiver.expires <= kLastDay, "a waiver ends, but has not ended");
    must(waiver.text().find('*') == std::string::npos, "a waiver holds no pattern");
  }
  const RunResult before = run_with_findings();
  RunResult after = before;
  apply_waivers(waivers, after);
  must(after.tests.size() == before.tests.size(), "no test is lost");
  must(points_that_did_not_pass(after) == points_that_did_not_pass(before), "no point is lost");
  for (const TestResult& test : after.tests) must(test.verdict != Verdict::Pass, "waived is not a pass");
  must(after.waivers.size() == waivers.size(), "each waiver is listed");
  must(parse_document(to_json(after.waivers).dump()) == to_json(after.waivers), "the list can be written");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::vector<Waiver> waivers;
  try {
    waivers = parse_waivers(parse_document(text_of(data, size), kWaiversSchema), kDay);
  } catch (const DocumentError& error) {
    must_be_one_line(error.what());
    return 0;
  }
  check(waivers);  // from here on nothing may be thrown
  return 0;
}
