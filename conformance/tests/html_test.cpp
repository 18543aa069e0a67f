// SPDX-License-Identifier: BSD-3-Clause
//
// The report page as text: it holds the whole report, and no text of a report becomes markup. The page in a
// browser: browser/page_test.py.
#include "conformance/report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "conformance/report/report.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kData = R"(<script type="application/json" id="data">)";

size_t count(const std::string& text, std::string_view what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::string data_of(const std::string& html) {
  const size_t begin = html.find(kData) + kData.size();
  return html.substr(begin, html.find("</script>", begin) - begin);
}

// Appends `more` to every string of `value` and adds a field with it.
Json with(const std::string& more, const Json& value) {
  if (value.is_string()) return value.get<std::string>() + more;
  Json changed = value;
  if (value.is_array())
    for (Json& one : changed) one = with(more, one);
  if (value.is_object()) {
    for (const auto& [name, one] : changed.items()) one = with(more, one);
    changed["field" + more] = more;
  }
  return changed;
}

Json report_with_a_finding() {
  TestResult test;
  test.id = "Sweep.One/Cold";
  test.what = "One.";
  test.verdict = Verdict::Crash;
  test.reason = "LISTEN-RET-2: it crashed";
  test.clauses.push_back(
      {"LISTEN-RET-2", Verdict::Crash, "it crashed", "iut", "sig", {"frame"}, {"a/point"}});
  test.points = 1;
  RunResult run;
  run.suite_commit = "0123";
  run.provider = "rxe";
  run.started = "2030-01-02T03:04:05Z";
  run.tests = {test};
  run.selected = run.in_profile = 1;
  run.stack.device = "rxe0";
  run.stack.modules.push_back({"iut", "/lib/librpma.so.0", "librpma0 1", "b1", "52"});
  run.kernel_log = {"a line"};
  return to_json(run);
}

const std::vector<Json> kPoints = {{{"test", "Sweep.One/Cold"},
                                    {"point", "a/point"},
                                    {"verdict", "crash"},
                                    {"reason", "LISTEN-RET-2: it crashed"}}};

TEST(HtmlPage, HoldsTheWholeReportAndEachPoint) {
  const Json report = report_with_a_finding();
  const Json data = Json::parse(data_of(to_html(report, kPoints)));
  EXPECT_EQ(data.at("report"), report);
  EXPECT_EQ(data.at("points"), Json(kPoints));
}

TEST(HtmlPage, NoStringCanEndTheDataOrBecomeMarkup) {
  const std::string hostile =
      "</script></title></style><!--<img src=x onerror=\"a()\">'&amp;\u2028\u2029]]>{{data}}";
  const Json report = with(hostile, report_with_a_finding());
  const std::vector<Json> points = {with(hostile, kPoints.front())};
  const std::string plain = to_html(report_with_a_finding(), kPoints);
  const std::string html = to_html(report, points);
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("onerror=\"")));
  for (const char* const markup : {"<script", "</script", "</title", "</style", "<!--", "]]>"})
    EXPECT_EQ(count(html, markup), count(plain, markup)) << markup;
  const std::string data = data_of(html);
  for (const char* const dangerous : {"<", ">", "&", "\u2028", "\u2029"})
    EXPECT_THAT(data, Not(HasSubstr(dangerous)));
  // The text is complete.
  EXPECT_EQ(Json::parse(data).at("report"), report);
  EXPECT_EQ(Json::parse(data).at("points"), Json(points));
}

TEST(HtmlPage, InvalidUtf8IsReplaced) {
  Json report = report_with_a_finding();
  report["stack"]["device"] = "a\xff\xc0z";
  report["verdicts"]["subject"]["reason"] = "b\xfey";
  const std::string html = to_html(report, {});
  EXPECT_THAT(html, Not(HasSubstr("\xff")));
  EXPECT_THAT(html, Not(HasSubstr("\xfe")));
  EXPECT_THAT(html, HasSubstr("<p class=\"why\">b\uFFFDy</p>"));
  EXPECT_EQ(Json::parse(data_of(html))["report"]["stack"]["device"], "a\uFFFD\uFFFDz");
}

TEST(HtmlPage, SaysTheVerdictsWithoutItsScripts) {
  Json report = report_with_a_finding();
  report["interrupted"] = "SIGTERM";
  report["profile"] = {{"name", "listen"}, {"version", 7}, {"sha256", "0123456789abcdef"}};
  const std::string html = to_html(report, kPoints);
  const std::string above = html.substr(0, html.find("<main"));
  EXPECT_THAT(above, HasSubstr("</svg>crash</span></h1>"));
  EXPECT_THAT(above, HasSubstr("LISTEN-RET-2: it crashed"));
  for (const Json& reason : report["certifiable"]["reasons"])
    EXPECT_THAT(above, HasSubstr(reason.get<std::string>()));
  EXPECT_THAT(above, HasSubstr("SIGTERM"));
  EXPECT_THAT(above, HasSubstr("listen 7"));
  EXPECT_THAT(above, HasSubstr("0123456789abcdef"));
  const size_t finding = above.find("<li>LISTEN-RET-2 by iut: crash");
  const size_t clause = above.find("<li>LISTEN-RET-1: skipped");
  EXPECT_NE(clause, std::string::npos);
  EXPECT_LT(finding, clause);
}

TEST(HtmlPage, OpensWithTheFindingsAndEndsWithTheStack) {
  const std::string html = to_html(report_with_a_finding(), kPoints);
  size_t last = html.find("<h1>");
  for (const char* const part : {"findings", "waivers", "clauses", "results", "picture", "kernel", "stack"}) {
    const size_t place = html.find(std::string("<section id=\"") + part);
    ASSERT_NE(place, std::string::npos) << part;
    EXPECT_LT(last, place) << part;
    last = place;
  }
}

TEST(HtmlPage, RunsOnlyItsOwnScript) {
  const std::string html = to_html(report_with_a_finding(), kPoints);
  EXPECT_THAT(html, HasSubstr("content=\"default-src 'none'; script-src 'sha256-"));
  EXPECT_THAT(html, HasSubstr("; style-src 'sha256-"));
  EXPECT_THAT(html, Not(HasSubstr("unsafe-inline")));
  EXPECT_THAT(html, Not(HasSubstr("innerHTML")));
  EXPECT_THAT(html, Not(HasSubstr("{{")));
}

TEST(HtmlPage, ToleratesMissingFields) {
  for (const Json& report : {Json(), Json::object(), Json::array(), Json{{"verdicts", 1}, {"complete", "no"}},
                             Json{{"clauses", {1, "x", nullptr}}, {"profile", Json::object()}}})
    EXPECT_THAT(to_html(report, {Json(), Json(1)}), HasSubstr("</html>")) << report;
}

TEST(HtmlPage, IsInTheReportFolderWithThePointsOfTheRun) {
  const std::filesystem::path path = testing::TempDir() + "rpmaconf_html_test";
  std::filesystem::remove_all(path);
  ReportFolder folder(path);
  PointResult point;
  point.point = "a/point";
  point.verdict = Verdict::Pass;
  folder.add(point, "Sweep.One/Cold");
  folder.finish(from_json(report_with_a_finding()));
  std::ifstream file(path / "report.html");
  const std::string html((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const Json data = Json::parse(data_of(html));
  std::ifstream json(path / "report.json");
  EXPECT_EQ(data.at("report"), Json::parse(json));
  ASSERT_EQ(data.at("points").size(), 1U);
  EXPECT_EQ(data["points"][0]["point"], "a/point");
  std::filesystem::remove_all(path);
}

TEST(HtmlPage, ReadsThePointsThatWereWritten) {
  const std::filesystem::path file = testing::TempDir() + "rpmaconf_points.jsonl";
  std::ofstream(file) << "{\"point\":\"a\"}\n\n[]\n{\"point\":\"b\"}\n{\"point\":\"c";
  const std::vector<Json> points = read_points(file);
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[1]["point"], "b");
  EXPECT_TRUE(read_points(file.string() + ".missing").empty());
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace conformance
