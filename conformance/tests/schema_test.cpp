// SPDX-License-Identifier: BSD-3-Clause
//
// The published schemas accept what the suite writes, and refuse missing and wrong fields.
#include "conformance/report/schemas.h"

#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>

#include "conformance/report/digest.h"
#include "conformance/report/report.h"
#include "conformance/tests/sample_report.h"

namespace conformance {
namespace {

using testing::HasSubstr;
using Json = nlohmann::ordered_json;

// With a finding, and one that is waived.
RunResult eventful_run(const Profile& profile) {
  RunResult run = passing_run(profile);
  add_finding(run, "Listen.First", "LISTEN-RET-2", "rdmacm");
  add_finding(run, "Listen.Second", "LISTEN-RET-2", "iut");
  return run;
}

Members eventful_files() {
  const Profile profile = small_profile();
  return files_of(eventful_run(profile), profile, waivers_for("LISTEN-RET-2", "rdmacm", "2026-12-31"));
}

std::vector<Json> lines_of(const std::string& text) {
  std::vector<Json> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
  return lines;
}

TEST(Schema, IsThePublishedFile) {
  EXPECT_EQ(schema_texts().size(), 10U);
  for (const SchemaText& schema : schema_texts())
    EXPECT_EQ(schema.text, content_of(std::filesystem::path(RPMACONF_SCHEMAS) / schema.name)) << schema.name;
}

TEST(Schema, HoldsForWhatTheSuiteWrites) {
  const Members files = eventful_files();
  EXPECT_EQ(departure(kReportSchema, Json::parse(files.at("report.json"))), "");
  EXPECT_EQ(departure(kWaiversSchema, Json::parse(files.at("waivers.json"))), "");
  EXPECT_EQ(departure(kProfileSchema, Json::parse(files.at("profile.json"))), "");
  for (const Json& line : lines_of(files.at("results.jsonl")))
    EXPECT_EQ(departure(kResultLines.schema, line), "");
  for (const Json& line : lines_of(files.at("points.jsonl")))
    EXPECT_EQ(departure(kPointLines.schema, line), "");
  for (const Json& line : lines_of(files.at("kernel.jsonl")))
    EXPECT_EQ(departure(kKernelLines.schema, line), "");
  EXPECT_EQ(departure(kResultLines.schema, {{"goes_on", true}}), "");
}

TEST(Schema, HoldsForTheProfilesOfTheSuite) {
  for (const Profile& profile : profiles_in(RPMACONF_PROFILES))
    EXPECT_EQ(departure(kProfileSchema, Json::parse(profile.document)), "");
}

TEST(Schema, HoldsForTheBaselinesOfTheSuite) {
  for (const auto& entry : std::filesystem::directory_iterator(RPMACONF_BASELINES)) {
    Json baseline = Json::parse(content_of(entry.path()));
    EXPECT_EQ(departure(kBaselineSchema, baseline), "") << entry.path();
    baseline["findings"].push_back({{"clause", "LISTEN-RET-2"}});
    EXPECT_NE(departure(kBaselineSchema, baseline), "") << "a finding without module and tests";
    baseline["findings"] = Json::array();
    baseline["clauses"]["LISTEN-RET-1"] = "fine";
    EXPECT_NE(departure(kBaselineSchema, baseline), "") << "no verdict";
    baseline.erase("clauses");
    EXPECT_EQ(departure(kBaselineSchema, baseline), "") << "clauses may be left out";
    baseline.erase("providers");
    EXPECT_NE(departure(kBaselineSchema, baseline), "");
  }
}

// Every field, at the top and one level below.
TEST(Schema, RefusesAMissingField) {
  const Json report = Json::parse(eventful_files().at("report.json"));
  for (const auto& [key, value] : report.items()) {
    Json altered = report;
    altered.erase(key);
    EXPECT_NE(departure(kReportSchema, altered), "") << key;
    if (!value.is_object() || key == "surroundings") continue;
    for (const auto& [inner, ignored] : value.items()) {
      if (inner == "reason") continue;  // of a pass there is none
      altered = report;
      altered[key].erase(inner);
      EXPECT_NE(departure(kReportSchema, altered), "") << key << "/" << inner;
    }
  }
}

TEST(Schema, RefusesAnotherType) {
  const Json report = Json::parse(eventful_files().at("report.json"));
  for (const auto& [key, value] : report.items())
    for (const Json& other :
         {Json(), Json("x"), Json(-1), Json(1.5), Json(true), Json::array({1}), Json({{"x", 1}})}) {
      if (other.type() == value.type() || (value.is_number() && other.is_number())) continue;
      if (value.is_string() && other.is_string()) continue;
      Json altered = report;
      altered[key] = other;
      EXPECT_NE(departure(kReportSchema, altered), "") << key << " " << other.dump();
    }
}

struct WrongRow {
  const char* name;
  std::string_view schema;
  const char* file;
  size_t line;
  std::function<void(Json&)> change;
  const char* where;
};
void PrintTo(const WrongRow& row, std::ostream* stream) {
  *stream << row.name;
}

class Wrong : public testing::TestWithParam<WrongRow> {};

TEST_P(Wrong, IsRefusedAndThePlaceNamed) {
  const WrongRow& row = GetParam();
  const std::string text = eventful_files().at(row.file);
  Json document = row.line == 0 ? Json::parse(text) : lines_of(text).at(row.line - 1);
  row.change(document);
  EXPECT_THAT(departure(row.schema, document), HasSubstr(row.where));
}

const WrongRow kWrong[] = {
    {"UnknownVerdict", kReportSchema, "report.json", 0, [](Json& j) { j["tests"][0]["verdict"] = "fine"; },
     "/tests/0"},
    {"PassWithAReason", kReportSchema, "report.json", 0,
     [](Json& j) {
       j["verdicts"]["iut"] = {{"verdict", "pass"}, {"reason", "luck"}};
     },
     "/verdicts/iut"},
    {"FailWithoutAReason", kReportSchema, "report.json", 0, [](Json& j) { j["tests"][1].erase("reason"); },
     "/tests/1"},
    {"FindingWithoutAModule", kReportSchema, "report.json", 0,
     [](Json& j) { j["tests"][1]["clauses"][1].erase("module"); }, "/tests/1/clauses/1"},
    {"PassThatAccuses", kReportSchema, "report.json", 0,
     [](Json& j) { j["tests"][0]["clauses"][0]["module"] = "iut"; }, "/tests/0/clauses/0"},
    {"WaivedWithoutWhat", kReportSchema, "report.json", 0,
     [](Json& j) { j["tests"][0]["clauses"][1].erase("waived"); }, "/tests/0/clauses/1"},
    {"WaivedPass", kReportSchema, "report.json", 0,
     [](Json& j) { j["tests"][0]["clauses"][1]["waived"] = "pass"; }, "/tests/0/clauses/1"},
    {"WaivedButNotByItsVerdict", kReportSchema, "report.json", 0,
     [](Json& j) { j["tests"][1]["clauses"][1]["waived"] = "fail"; }, "/tests/1/clauses/1"},
    {"FindingOfAnEmptyModule", kReportSchema, "report.json", 0,
     [](Json& j) { j["tests"][1]["clauses"][1]["module"] = ""; }, "/tests/1/clauses/1/module"},
    {"CountBeyond32Bits", kReportSchema, "report.json", 0, [](Json& j) { j["jobs"] = 4294967296; }, "/jobs"},
    {"TrueWithReasons", kReportSchema, "report.json", 0, [](Json& j) { j["complete"]["reasons"] = {"x"}; },
     "/complete"},
    {"FalseWithoutReasons", kReportSchema, "report.json", 0,
     [](Json& j) { j["certifiable"]["reasons"] = Json::array(); }, "/certifiable"},
    {"NegativeCount", kReportSchema, "report.json", 0, [](Json& j) { j["counts"]["points"] = -1; },
     "/counts/points"},
    {"HalfACount", kReportSchema, "report.json", 0, [](Json& j) { j["tests"][0]["points"] = 0.5; },
     "/tests/0/points"},
    {"ShortHash", kReportSchema, "report.json", 0, [](Json& j) { j["profile"]["sha256"] = "abc"; },
     "/profile/sha256"},
    {"UnknownTime", kReportSchema, "report.json", 0, [](Json& j) { j["started"] = "yesterday"; }, "/started"},
    {"LongText", kReportSchema, "report.json", 0,
     [](Json& j) { j["stack"]["kernel"] = std::string(70000, 'x'); }, "/stack/kernel"},
    {"UnknownFieldInside", kReportSchema, "report.json", 0, [](Json& j) { j["stack"]["mood"] = "good"; },
     "/stack"},
    {"ExitCodeOfAnInvalidBundle", kReportSchema, "report.json", 0, [](Json& j) { j["exit_code"] = 4; },
     "/exit_code"},
    {"WaivedResult", kResultLines.schema, "results.jsonl", 2, [](Json& j) { j["verdict"] = "waived"; }, "/"},
    {"HeaderWithoutSuite", kResultLines.schema, "results.jsonl", 1, [](Json& j) { j.erase("suite"); }, "/"},
    {"HeaderOfAModuleWithoutAHash", kResultLines.schema, "results.jsonl", 1,
     [](Json& j) { j["/lib/x"] = "?"; }, "/"},
    {"PointWithoutItsRole", kPointLines.schema, "points.jsonl", 1, [](Json& j) { j.erase("role"); }, "/"},
    {"PassingPointThatAccuses", kPointLines.schema, "points.jsonl", 1, [](Json& j) { j["verdict"] = "pass"; },
     "/"},
    {"WaiverWithoutOwner", kWaiversSchema, "waivers.json", 0, [](Json& j) { j["waivers"][0].erase("owner"); },
     "/waivers/0"},
    {"WaiverWithoutEnd", kWaiversSchema, "waivers.json", 0, [](Json& j) { j["waivers"][0].erase("to"); },
     "/waivers/0"},
    {"WaiverWithAVersionAndABuildId", kWaiversSchema, "waivers.json", 0,
     [](Json& j) { j["waivers"][0]["build_id"] = "bb"; }, "/waivers/0"},
    {"WaiverWithAPackageAndABuildId", kWaiversSchema, "waivers.json", 0,
     [](Json& j) {
       Json& waiver = j["waivers"][0];
       waiver.erase("from");
       waiver.erase("to");
       waiver["build_id"] = "bb";
     },
     "/waivers/0"},
    {"WaiverOfNothing", kWaiversSchema, "waivers.json", 0, [](Json& j) { j["waivers"][0].erase("clause"); },
     "/waivers/0"},
    {"WaiverOfAnEmptyClause", kWaiversSchema, "waivers.json", 0,
     [](Json& j) { j["waivers"][0]["clause"] = ""; }, "/waivers/0/clause"},
    {"WaiverWithAnUnknownField", kWaiversSchema, "waivers.json", 0,
     [](Json& j) { j["waivers"][0]["severity"] = "low"; }, "/waivers/0"},
    {"WaiverWhoseVersionIsAnOption", kWaiversSchema, "waivers.json", 0,
     [](Json& j) { j["waivers"][0]["from"] = "--help"; }, "/waivers/0/from"},
    {"WaiverThatEndsSoon", kWaiversSchema, "waivers.json", 0,
     [](Json& j) { j["waivers"][0]["expires"] = "soon"; }, "/waivers/0/expires"},
    {"WaiverOfANumber", kWaiversSchema, "waivers.json", 0, [](Json& j) { j["waivers"][0]["owner"] = 1; },
     "/waivers/0/owner"},
    {"ProfileWithoutTests", kProfileSchema, "profile.json", 0, [](Json& j) { j["tests"] = Json::array(); },
     "/tests"},
    {"ProfileOnNothing", kProfileSchema, "profile.json", 0,
     [](Json& j) { j["tests"][0]["providers"] = {"paper"}; }, "/tests/0/providers/0"},
};
INSTANTIATE_TEST_SUITE_P(Of, Wrong, testing::ValuesIn(kWrong),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace conformance
