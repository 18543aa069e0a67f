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

TEST(Replay, ShowsTheCallsAndMarksTheInjectedOne) {
  const Ran ran = replay(kPoint);
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("rdma_create_event_channel()"));
  EXPECT_THAT(ran.output,
              testing::ContainsRegex(">>> rdma_listen.* = -1 EADDRINUSE  <- iut .*rpma_ep_listen"));
  EXPECT_THAT(ran.output, HasSubstr("[injected]"));
  EXPECT_THAT(ran.output, HasSubstr("returned RPMA_E_PROVIDER"));
  EXPECT_THAT(ran.output, HasSubstr("the next call, without a fault"));
  EXPECT_THAT(ran.output, HasSubstr("LISTEN-PROVIDER-5   pass"));
}

TEST(Replay, SaysWhatDeviatesAndWhoIsAccused) {
  const Ran ran = replay(kPoint, {}, "pointer-restored");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("LISTEN-EPPTR-1      fail"));
  EXPECT_THAT(ran.output, HasSubstr("[by iut]"));
  EXPECT_THAT(ran.output, HasSubstr("stored to the out-parameter"));
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

// A debugger of one's own: the guard is off, and no verdict is given.
TEST(Replay, RunsUnderGdb) {
  const Ran ran = replay(kPoint, {"--under", "gdb -q -batch -ex run -ex bt --args"}, "deep-crash-on-listen");
  EXPECT_THAT(ran.output, HasSubstr("SIGSEGV"));
  EXPECT_THAT(ran.output, HasSubstr("crash_innermost"));
  EXPECT_THAT(ran.output, Not(HasSubstr("LISTEN-")));
}

TEST(Replay, RunsUnderValgrind) {
  const Ran ran = replay(kPoint, {"--under", "valgrind"}, "leak-block");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("no verdict"));
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
    {"Nothing", "", "POINT needs a value"},
    {"AWord", "nonsense", "is no point"},
    {"OtherFunction", "rpma_ep_talk/primed/wild", "is no function under test"},
    {"NoStart", "rpma_ep_listen/tepid/wild", "is no start"},
    {"NoSentinel", "rpma_ep_listen/primed/dead", "is no sentinel"},
    {"BadRule", "rpma_ep_listen/rdma_listen:error=EPERM/primed/wild", "EADDRINUSE"},
    {"BadArgument", "rpma_ep_listen(colour=red)/primed/wild", "is no argument"},
    {"OpenBracket", "rpma_ep_listen(peer=NULL/primed/wild", "closing bracket"},
    {"BadCondition", "rpma_ep_listen/condition=weather/primed/wild", "no condition"},
    {"BadThreads", "rpma_ep_listen/threads=99/primed/wild", "threads=N"},
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

TEST(Explain, TellsOfAClauseWhatIsPromisedAndBywhatItIsTested) {
  const Ran ran = run({tool(), "explain", "LISTEN-NOMEM-1"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output,
              HasSubstr("promised: An allocation of the listener's own failing gives RPMA_E_NOMEM."));
  EXPECT_THAT(ran.output, HasSubstr("ruling 1: "));
  EXPECT_THAT(ran.output, HasSubstr("Listen.EachFailingAllocationGivesENomem"));
}

TEST(Explain, TellsOfAPointWhatIsDoneAndWhatAReportSaw) {
  const Folder folder;
  ASSERT_EQ(run({tool(), "run", "--provider", "mock", "--filter", "Listen.FailingListen*", "--report",
                 folder.path() / "report"})
                .exit_code,
            0);
  const Ran ran = run({tool(), "explain", "--report", folder.path() / "report", kPoint});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("LISTEN-PROVIDER-5"));
  EXPECT_THAT(ran.output, HasSubstr("of rdma_listen, each call made by iut"));
  EXPECT_THAT(ran.output, HasSubstr("seen:     pass in Listen.FailingListenGivesEProvider/EADDRINUSE"));
}

TEST(Explain, OfNothingKnownGivesOneLine) {
  const Ran ran = run({tool(), "explain", "LISTEN-COFFEE-1"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_THAT(ran.output, HasSubstr("is no clause, no test and no point"));
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
}

}  // namespace
