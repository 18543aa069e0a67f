// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/consistency.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "conformance/report/document.h"
#include "conformance/report/html.h"
#include "conformance/report/report.h"
#include "conformance/report/waivers.h"
#include "conformance/version.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kDifferences = 3;  // of one kind
constexpr int kBroken = 2;          // exit code of a self-check with a trial without a verdict

// The views of the report.
struct View {
  const char* file;
  std::string (*make)(const Content& content);
};
constexpr View kViews[] = {
    {"junit.xml", [](const Content& content) { return to_junit(content.run); }},
    {"report.tap", [](const Content& content) { return to_tap(content.run); }},
    {"report.html", [](const Content& content) { return to_html(content.report, content.point_lines); }}};

// Makes the report again from its tests. Promises are copied, because check_profile() compares them. If
// another suite made the report, its reasons are copied, too, and so are the flags "complete" and
// "certifiable": verify() believes the suite that says no.
Json what_follows(const Json& report, const RunResult& run) {
  Json follows = to_json(run);
  const auto judged = by_clause(run);
  Json rows = Json::array();
  for (const Json& said : report.at("clauses")) {
    Json row = {{"id", said.at("id")}, {"promise", said.at("promise")}, {"source", said.at("source")}};
    const auto found = judged.find(said.at("id").get<std::string>());
    row["verdict"] = name_of(found == judged.end() ? Verdict::Skipped : found->second.verdict);
    if (row["verdict"] != "pass")
      row["reason"] = found != judged.end() ? Json(found->second.reason) : said.value("reason", Json());
    rows.push_back(std::move(row));
  }
  follows["clauses"] = std::move(rows);
  if (run.suite_commit == kCommit) return follows;
  for (const auto& [subject, outcome] : follows["verdicts"].items())
    if (const Json& said = report.at("verdicts").at(subject);
        said.contains("reason") && outcome.contains("reason"))
      outcome["reason"] = said.at("reason");
  for (const char* flag : {"complete", "certifiable"}) follows[flag] = report.at(flag);
  return follows;
}

Check check_verdicts(const Content& content) {
  Check check{"verdicts"};
  const RunResult& run = content.run;
  for (const TestResult& test : run.tests) {
    const Outcome outcome = outcome_of(test.clauses);
    if (outcome.verdict() != test.verdict)
      check.wrong.push_back(fmt::format("report.json: {} is {}, by its clauses {}", test.id,
                                        name_of(test.verdict), name_of(outcome.verdict())));
  }
  add_differences(content.report, what_follows(content.report, run), "report.json", check.wrong);
  return check;
}

// Each experiment is counted by the test that ran it. Two kinds belong to no test: those of an interrupted
// test, and the call without faults of a resumed run that had no test left, once per part.
void check_experiments(const RunResult& run, std::vector<std::string>& wrong) {
  size_t least = 0;
  for (const TestResult& test : run.tests) least += test.experiments;
  const bool cut_short = !run.interrupted.empty() || run.tests.size() < run.selected;
  const size_t beyond = run.resumed == 0 ? 0 : std::max<size_t>(1, run.parts.size());
  if (run.experiments < least || (!cut_short && run.experiments - least > beyond))
    wrong.push_back(fmt::format("report.json has {} experiments, its tests have {}", run.experiments, least));
}

Check check_completeness(const Content& content) {
  Check check{"completeness"};
  const RunResult& run = content.run;
  const std::vector<std::string> wanted = content.profile.tests_on(run.provider);
  if (run.in_profile != wanted.size())
    check.wrong.push_back(fmt::format("report.json has {} tests in the profile on {}, the profile {}",
                                      run.in_profile, run.provider, wanted.size()));
  if (run.selected > run.in_profile || run.tests.size() > run.selected)
    check.wrong.push_back(fmt::format("{} tests ran, {} were selected, {} are in the profile",
                                      run.tests.size(), run.selected, run.in_profile));
  std::set<std::string> ran;
  for (const TestResult& test : run.tests) {
    if (!ran.insert(test.id).second) check.wrong.push_back(fmt::format("{} is there twice", test.id));
    if (!std::ranges::binary_search(wanted, test.id))
      check.wrong.push_back(fmt::format("{} is not a test of the profile on {}", test.id, run.provider));
    for (const ClauseResult& clause : test.clauses)
      if (!content.profile.clauses.contains(clause.clause))
        check.wrong.push_back(
            fmt::format("{} judges {}, which is not in the profile", test.id, clause.clause));
  }
  const bool complete = content.report.at("complete").at("value");
  for (const std::string& id : wanted)
    if (complete && !ran.contains(id)) check.wrong.push_back(fmt::format("{} is missing", id));
  check_experiments(run, check.wrong);
  check.note = fmt::format("{} of {} tests on {}", ran.size(), wanted.size(), run.provider);
  return check;
}

Check check_waivers(const Content& content) {
  Check check{"waivers"};
  const std::string day = content.run.started.substr(0, kDaySize);
  std::vector<Waiver> waivers;
  try {
    if (content.waivers) waivers = parse_waivers(*content.waivers, day);
  } catch (const DocumentError& error) {
    check.wrong.push_back(fmt::format("waivers.json{}", error.what()));
    return check;
  }
  check.note = waivers.empty() ? "none" : fmt::format("{}, as of {}", waivers.size(), day);
  RunResult again = content.run;
  again.tests = content.results;
  apply_waivers(std::move(waivers), again);
  add_differences(content.report.at("waivers"), to_json(again.waivers), "report.json/waivers", check.wrong);
  return check;
}

// The score follows from the rows, the exit code from both and the reference.
Check check_self_check(const Content& content) {
  Check check{"self-check"};
  check.note = "none";
  if (!content.self_check) return check;
  const Json& said = *content.self_check;
  const Json& rows = said.at("defects");
  const Json score = {
      {"noticed", std::ranges::count_if(rows, [](const Json& row) { return row.at("noticed").get<bool>(); })},
      {"of", rows.size()}};
  check.note = fmt::format("{} of {} defects noticed on {}", score.at("noticed").get<size_t>(), rows.size(),
                           said.at("provider").get<std::string>());
  add_differences(said.at("score"), score, "self-check.json/score", check.wrong);
  std::set<std::string> names;
  for (const Json& row : rows)
    if (!names.insert(row.at("name")).second)
      check.wrong.push_back(fmt::format("self-check.json has {} twice", shown(row.at("name"))));
  const bool reference_failed = said.contains("reference") && !said.at("reference").at("passed").get<bool>();
  if (reference_failed)
    check.note +=
        fmt::format(", but the reference failed: {}", said.at("reference").at("why").get<std::string>());
  const bool good = !rows.empty() && score.at("noticed") == score.at("of") && !reference_failed;
  if (const Json& code = said.at("exit_code"); code != kBroken && code != (good ? 0 : 1))
    check.wrong.push_back(
        fmt::format("self-check.json has exit code {}, by its rows {}", shown(code), good ? 0 : 1));
  if (said.at("suite").at("commit") != content.run.suite_commit)
    check.wrong.emplace_back("self-check.json and report.json are of different suites");
  return check;
}

// Another suite may format them differently.
Check check_views(const Content& content, const Members& files) {
  Check check{"views"};
  if (content.run.suite_commit != kCommit) {
    check.was_made = false;
    check.note = fmt::format("of suite {}, this is {}: not compared", content.run.suite_commit, kCommit);
    return check;
  }
  for (const auto& [name, make] : kViews)
    if (const auto file = files.find(name); file != files.end() && file->second != make(content))
      check.wrong.push_back(fmt::format("{} differs from report.json", name));
  return check;
}

}  // namespace

std::string shown(const Json& value) {
  constexpr size_t kMostShown = 80;
  std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > kMostShown) text = text.substr(0, kMostShown) + "...";
  return text;
}

void add_differences(const Json& said, const Json& follows, const std::string& where,
                     std::vector<std::string>& differences) {
  if (differences.size() >= kDifferences || said == follows) return;
  if (said.is_object() && follows.is_object()) {
    const size_t before = differences.size();
    for (const auto& [key, value] : follows.items())
      if (said.contains(key))
        add_differences(said.at(key), value, fmt::format("{}/{}", where, key), differences);
      else
        differences.push_back(fmt::format("{}/{} is missing", where, key));
    for (const auto& [key, value] : said.items())
      if (!follows.contains(key))
        differences.push_back(fmt::format("{}/{} does not belong there", where, key));
    if (differences.size() == before)
      differences.push_back(fmt::format("{}: the keys are in another order", where));
    return;
  }
  if (said.is_array() && follows.is_array() && said.size() == follows.size()) {
    for (size_t i = 0; i < said.size(); ++i)
      add_differences(said.at(i), follows.at(i), fmt::format("{}/{}", where, i), differences);
    return;
  }
  if (said.is_array() && follows.is_array())
    differences.push_back(fmt::format("{} has {} entries instead of {}", where, said.size(), follows.size()));
  else
    differences.push_back(fmt::format("{} is {} instead of {}", where, shown(said), shown(follows)));
}

std::vector<Check> check_content(const Content& content, const Members& files) {
  return {check_start(content),        check_stack(content),       check_run_record(content),
          check_completeness(content), check_verdicts(content),    check_journal(content),
          check_points(content),       check_waivers(content),     check_kernel_log(content, files),
          check_self_check(content),   check_views(content, files)};
}

Check check_profile(const Content& content, const std::vector<Profile>& known, bool& unknown) {
  Check check{"profile"};
  const Profile& profile = content.profile;
  const ProfileId& named = content.run.profile;
  check.note = profile.id();
  if (named.name != profile.name || named.version != profile.version || named.sha256 != profile.sha256 ||
      named.rulings_sha256 != profile.rulings_sha256)
    check.wrong.push_back(fmt::format("report.json names {} with hash {}, profile.json is {} with {}",
                                      named.id(), named.sha256.substr(0, 16), profile.id(),
                                      profile.sha256.substr(0, 16)));
  const auto same =
      std::ranges::find_if(known, [&profile](const Profile& one) { return one.id() == profile.id(); });
  unknown = same == known.end();
  if (!unknown && same->document != profile.document)
    check.wrong.push_back(fmt::format("profile.json is not the published {} (hash {}, here {})", profile.id(),
                                      same->sha256.substr(0, 16), profile.sha256.substr(0, 16)));
  if (unknown) check.note = fmt::format("{} is unknown; name it with --profile FILE", profile.id());
  // The promises are those of the profile.
  const Json document = Json::parse(profile.document);
  for (const Json& clause : document.at("clauses"))
    for (const Json& row : content.report.at("clauses"))
      if (row.at("id") == clause.at("id") &&
          (row.at("promise") != clause.at("promise") || row.at("source") != clause.at("source")))
        check.wrong.push_back(fmt::format("{} has another promise in report.json", shown(clause.at("id"))));
  std::set<std::string> rows;
  for (const Json& row : content.report.at("clauses"))
    if (!rows.insert(row.at("id")).second)
      check.wrong.push_back(fmt::format("report.json has the clause {} twice", shown(row.at("id"))));
  for (const std::string& id : profile.clauses)
    if (!rows.contains(id)) check.wrong.push_back(fmt::format("report.json has no clause {}", id));
  return check;
}

}  // namespace conformance
