// SPDX-License-Identifier: BSD-3-Clause
//
// replay and explain, as a user runs them, on the mock.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "conformance/tests/tool.h"

namespace {

using namespace conformance::testing_tool;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kPoint = "rpma_ep_listen/rdma_listen:error=EADDRINUSE:caller=@iut/primed/wild";

Ran replay(const std::string& point, const std::vector<std::string>& more = {},
           const std::string& mistake = "none") {
  std::vector<std::string> command = {tool(), "replay", "--provider", "mock", "--librpma", toy()};
  command.insert(command.end(), more.begin(), more.end());
  command.push_back(point);
  return run(command, {"RPMACONF_TOY=" + mistake});
}

// The document of a replay: its exit code, and the row of a clause.
nlohmann::json document_of(const Ran& ran) {
  nlohmann::json document = nlohmann::json::parse(ran.output, nullptr, false);
  EXPECT_TRUE(document.is_object()) << ran.output;
  return document;
}
nlohmann::json row_of(const nlohmann::json& document, const std::string& clause) {
  for (const nlohmann::json& row : document.at("clauses"))
    if (row.at("clause") == clause) return row;
  return nullptr;
}

TEST(Replay, ShowsTheCallsAndMarksTheInjectedOne) {
  const Ran ran = replay(kPoint);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("rdma_create_event_channel()"));
  EXPECT_THAT(ran.output,
              testing::ContainsRegex(">>> rdma_listen.* = -1 EADDRINUSE  <- iut .*rpma_ep_listen"));
  EXPECT_THAT(ran.output, HasSubstr("[injected]"));
  EXPECT_THAT(ran.output, HasSubstr("returned RPMA_E_PROVIDER"));
  EXPECT_EQ(row_of(document_of(replay(kPoint, {"--format", "json"})), "LISTEN-PROVIDER-5").at("verdict"),
            "pass");
}

TEST(Replay, NamesTheBrokenClauseAndTheModule) {
  const Ran ran = replay(kPoint, {"--format", "json"}, "pointer-restored");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const nlohmann::json row = row_of(document_of(ran), "LISTEN-EPPTR-1");
  EXPECT_EQ(row.at("verdict"), "fail");
  EXPECT_EQ(row.at("module"), "iut");
  EXPECT_EQ(replay(kPoint, {"--judge", "rdmacm"}, "pointer-restored").exit_code, 0);
}

TEST(Replay, ShowsTheStackOfACrash) {
  const Ran ran = replay(kPoint, {}, "deep-crash-on-listen");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("crash_innermost"));
  EXPECT_THAT(ran.output, HasSubstr("rpma_ep_listen"));
}

TEST(Replay, OfAPointThatIsNotReachedIsIncomplete) {
  const Ran ran = replay("rpma_ep_listen/malloc:error=ENOMEM:when=99:caller=@iut/primed/wild");
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("unreached"));
}

TEST(Replay, ShowsSystemCallsWhereAsked) {
  const Ran ran = replay("rpma_ep_listen/mmap:error=ENOMEM:when=99/primed/wild", {"--all"});
  EXPECT_EQ(ran.exit_code, 3) << ran.output;
}

// With the user's own command: the guard is off, and no verdict is given.
TEST(Replay, RunsUnderGdb) {
  const Ran ran = replay(kPoint, {"--under", "gdb -q -batch -ex run -ex bt --args"}, "deep-crash-on-listen");
  EXPECT_THAT(ran.output, HasSubstr("SIGSEGV"));
  EXPECT_THAT(ran.output, HasSubstr("crash_innermost"));
  EXPECT_THAT(ran.output, Not(HasSubstr("LISTEN-")));
}

TEST(Replay, RunsUnderValgrind) {
  const Ran ran = replay(kPoint, {"--under", "valgrind"}, "leak-block");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("ERROR SUMMARY"));
  EXPECT_THAT(ran.output, HasSubstr("[injected]"));
}

struct BadPoint {
  const char* name;
  const char* point;
  const char* says;
};
void PrintTo(const BadPoint& bad, std::ostream* out) {
  *out << bad.name;
}
constexpr BadPoint kBadPoints[] = {
    {"Nothing", "", "POINT"},
    {"AWord", "nonsense", "'nonsense'"},
    {"OtherFunction", "rpma_ep_talk/primed/wild", "'rpma_ep_talk'"},
    {"NoStart", "rpma_ep_listen/tepid/wild", "'tepid'"},
    {"NoSentinel", "rpma_ep_listen/primed/dead", "'dead'"},
    {"BadRule", "rpma_ep_listen/rdma_listen:error=EPERM/primed/wild", "EADDRINUSE"},
    {"BadArgument", "rpma_ep_listen(colour=red)/primed/wild", "colour=red"},
    {"OpenBracket", "rpma_ep_listen(peer=NULL/primed/wild", "peer=NULL"},
    {"BadCondition", "rpma_ep_listen/condition=weather/primed/wild", "'weather'"},
    {"BadThreads", "rpma_ep_listen/threads=99/primed/wild", "threads=99"},
};

class Odd : public testing::TestWithParam<BadPoint> {};

TEST_P(Odd, PointGivesOneLineAndExitCodeTwo) {
  const Ran ran = replay(GetParam().point);
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr(GetParam().says));
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
}

INSTANTIATE_TEST_SUITE_P(Point, Odd, testing::ValuesIn(kBadPoints),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Explain, NamesTheTestsAndRulingsOfAClause) {
  const Ran ran = run({tool(), "explain", "LISTEN-NOMEM-1", "--format", "json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  const nlohmann::json document = document_of(ran);
  EXPECT_EQ(document.at("rulings").at(0).at("number"), 1);
  EXPECT_THAT(document.at("tests").dump(), HasSubstr("\"Listen.EachFailingAllocationGivesENomem"));
  EXPECT_THAT(run({tool(), "explain", "LISTEN-NOMEM-1"}).output,
              HasSubstr("Listen.EachFailingAllocationGivesENomem"));
}

TEST(Explain, ShowsTheRulesOfAPointAndWhatAReportSaw) {
  const Folder folder;
  ASSERT_EQ(run({tool(), "run", "--provider", "mock", "--filter", "Listen.FailingListen*", "--report",
                 folder.path() / "report"})
                .exit_code,
            0);
  const std::vector<std::string> command = {tool(), "explain", "--report", folder.path() / "report", kPoint};
  EXPECT_EQ(run(command).exit_code, 0);
  std::vector<std::string> json = command;
  json.emplace_back("--format=json");
  const nlohmann::json document = document_of(run(json));
  EXPECT_THAT(document.at("promised").dump(), HasSubstr("\"LISTEN-PROVIDER-5\""));
  EXPECT_EQ(document.at("rules").at(0), "rdma_listen:error=EADDRINUSE:caller=@iut");
  EXPECT_EQ(document.at("seen").at(0).at("verdict"), "pass");
  EXPECT_EQ(document.at("seen").at(0).at("test"), "Listen.FailingListenGivesEProvider/EADDRINUSE");
}

TEST(Explain, OfAnUnknownNameGivesOneLine) {
  const Ran ran = run({tool(), "explain", "LISTEN-COFFEE-1"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.output, HasSubstr("LISTEN-COFFEE-1"));
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
}

}  // namespace
