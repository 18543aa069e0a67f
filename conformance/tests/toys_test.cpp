// SPDX-License-Identifier: BSD-3-Clause
//
// Tests of the harness with a toy listener: without a mistake it passes; with one, which the defects of the
// reference listener do not make, the report names the right verdict, clause and module.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "conformance/tests/tool.h"

namespace {

using namespace conformance::testing_tool;

struct Mistake {
  const char* name;    // RPMACONF_TOY
  const char* filter;  // the tests that must show it
  const char* clause;
  const char* verdict;
  const char* point = "/rdma_listen:error=EADDRINUSE:caller=@iut/";  // a part of the points that show it
};

// GoogleTest shows this, and CTest makes it a part of the name: no addresses.
void PrintTo(const Mistake& mistake, std::ostream* out) {
  *out << mistake.name;
}

constexpr const char* kListenFails = "Listen.FailingListenGivesEProvider/EADDRINUSE";

// What no defect in fixtures/listeners/defects.inc does: ends of the process, a store that is undone with the
// guard single-stepping, a handle that was never one, an exception, and a leak that a thread alone sees.
constexpr Mistake kMistakes[] = {
    {"abort-on-listen", kListenFails, "LISTEN-RET-2", "crash"},
    {"exit-on-listen", kListenFails, "LISTEN-RET-2", "crash"},
    {"pointer-restored", kListenFails, "LISTEN-EPPTR-1", "fail"},
    {"destroy-made-up-id", kListenFails, "LISTEN-LEGAL-1", "fail"},
    {"throw-on-listen", kListenFails, "LISTEN-RET-2", "crash"},
    {"leak-channel", "Threads.FailingListenIsItsThreadsAlone", "LISTEN-THREADS-1", "fail", "/threads="},
    {"throw-on-listen", "Threads.FailingListenIsItsThreadsAlone", "LISTEN-THREADS-1", "crash", "/threads="},
};

Ran run_toy(const Folder& folder, const std::string& mistake, const std::string& filter) {
  std::vector<std::string> words = {
      "run",       "--librpma", toy(), "--filter=" + filter, "--report", folder.path() / "report",
      "--timeout", "20"};
  const std::vector<std::string> provider = provider_there();
  words.insert(words.end(), provider.begin(), provider.end());
  return run_there({"env", "RPMACONF_TOY=" + mistake}, words);
}

class Toy : public testing::TestWithParam<Mistake> {};

TEST_P(Toy, IsCaught) {
  const Mistake& mistake = GetParam();
  const Folder folder;
  const Ran ran = run_toy(folder, mistake.name, mistake.filter);
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const auto report = read_json(folder.path() / "report/report.json");
  const auto& findings = report.at("findings");
  EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [&mistake](const auto& finding) {
    const auto& points = finding.at("points");
    return finding.at("clause") == mistake.clause && finding.at("verdict") == mistake.verdict &&
           finding.at("module") == "iut" &&
           std::any_of(points.begin(), points.end(), [&mistake](const std::string& point) {
             return point.find(mistake.point) != std::string::npos;
           });
  })) << findings.dump(2);
}

std::string name_of_row(const testing::TestParamInfo<Mistake>& row) {
  return in_test_name(std::string(row.param.name) + "_" + row.param.clause);
}

// The same on a kernel, and faults inside librdmacm, which tells the toy that its call failed.
constexpr Mistake kMistakesOnRxe[] = {
    {"pointer-restored", kListenFails, "LISTEN-EPPTR-1", "fail"},
    {"abort-on-listen", kListenFails, "LISTEN-RET-2", "crash"},
    // Real librdmacm dies of this one; its caller is at fault.
    {"destroy-made-up-id", kListenFails, "LISTEN-LEGAL-1", "fail"},
    {"listen-ignored", "Sweep.SystemCalls/Primed", "LISTEN-BELOW-1", "fail", "/write:"},
    {"unknown-without-memory", "Sweep.AllocationsBelow/Primed", "LISTEN-BELOW-1", "fail", ":caller=@rdmacm/"},
    {"refused-always", "Listen.ListenSucceeds", "LISTEN-RET-1", "fail", "rpma_ep_listen/primed/wild"},
};

std::vector<Mistake> rows() {
  if (in_machine().empty()) return {std::begin(kMistakes), std::end(kMistakes)};
  return {std::begin(kMistakesOnRxe), std::end(kMistakesOnRxe)};
}

INSTANTIATE_TEST_SUITE_P(Mistakes, Toy, testing::ValuesIn(rows()), name_of_row);

TEST(ToyWithoutMistake, PassesTheWholeSuite) {
  const Folder folder;
  // On a kernel sweeps find what is below the toy, and cases 1 and 13 want a machine of their own.
  const Ran ran = run_toy(folder, "none", in_machine().empty() ? "*" : "-Sweep.*:Pairs.*:Case.01*:Case.13*");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

// The mock accepts every correct request, so a refusal is a finding. On a kernel the cause may have been
// temporary, and the verdict is broken.
// Right listeners that do the same in another way.
class RightToy : public testing::TestWithParam<const char*> {};

TEST_P(RightToy, Passes) {
  const Folder folder;
  const Ran ran = run_toy(folder, GetParam(), "Listen.*:Threads.*");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
}

INSTANTIATE_TEST_SUITE_P(Ways, RightToy, testing::Values("endpoint-by-calloc", "crash-reporter"),
                         [](const auto& row) { return in_test_name(row.param); });

// The real librdmacm gets a handle of the mock: neither a finding nor a pass. A test without a control, which
// would fail first.
TEST(ToyThatCallsPastTheShim, GivesNoVerdictOnTheMock) {
  if (!in_machine().empty()) return;
  const Folder folder;
  const Ran ran = run_toy(folder, "bind-past-the-shim", "Listen.ListenSucceeds");
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  const auto report = read_json(folder.path() / "report/report.json");
  EXPECT_TRUE(report.at("findings").empty());
  EXPECT_EQ(report.at("tests").at(0).at("verdict"), "broken");
}

TEST(ToyThatIsRefusedOnce, IsNotAccusedOnAKernel) {
  const Folder folder;
  const Ran ran = run_toy(folder, "refused-once", "Listen.ListenSucceeds");
  EXPECT_EQ(ran.exit_code, in_machine().empty() ? 1 : 2) << ran.output;
  const auto test = read_json(folder.path() / "report/report.json").at("tests").at(0);
  EXPECT_EQ(test.at("verdict"), in_machine().empty() ? "fail" : "broken") << test.dump(2);
  EXPECT_NE(test.at("reason").get<std::string>().find("LISTEN-RET-1"), std::string::npos) << test.dump(2);
}

// The harness ends a hung child after the time-out and reports its stack.
class ToyThatHangs : public testing::TestWithParam<const char*> {};

TEST_P(ToyThatHangs, IsReportedWithItsStackAndEnded) {
  const Folder folder;
  const Ran ran = run({tool(), "run", "--provider", "mock", "--librpma", toy(), "--filter", kListenFails,
                       "--report", folder.path() / "report", "--timeout", "10", "--jobs", "3"},
                      {std::string("RPMACONF_TOY=") + GetParam()});
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const auto report = read_json(folder.path() / "report/report.json");
  ASSERT_EQ(report.at("findings").size(), 1U) << report.at("findings").dump(2);
  const auto& finding = report.at("findings").at(0);
  EXPECT_EQ(finding.at("clause"), "LISTEN-RET-2");
  EXPECT_EQ(finding.at("verdict"), "hang");
  EXPECT_EQ(finding.at("module"), "iut");
  EXPECT_EQ(finding.at("points").size(), 3U);
  EXPECT_NE(finding.at("stack").dump().find("rpma_ep_listen"), std::string::npos) << finding.dump(2);
}

INSTANTIATE_TEST_SUITE_P(Mistakes, ToyThatHangs, testing::Values("hang-on-listen", "sleep-on-listen"),
                         [](const auto& row) { return in_test_name(row.param); });

// Crashes at many points with the same stack are one finding.
TEST(ToyThatCrashesDeepInside, IsOneFindingWithItsStack) {
  const Folder folder;
  const Ran ran = run_toy(folder, "deep-crash-on-listen", "Listen.FailingListenGivesEProvider/*");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  const auto report = read_json(folder.path() / "report/report.json");
  size_t crashes = 0;
  for (const auto& finding : report.at("findings")) {
    if (finding.at("verdict") != "crash") continue;
    ++crashes;
    EXPECT_EQ(finding.at("points").size(), 30U);
    EXPECT_NE(finding.at("stack").dump().find("crash_innermost"), std::string::npos) << finding.dump(2);
    EXPECT_NE(finding.at("signature").get<std::string>().find("toy_rpma!rpma_ep_listen"), std::string::npos)
        << finding.dump(2);
  }
  EXPECT_EQ(crashes, 1U) << report.at("findings").dump(2);
}

// Where the control fails, the verdict is broken: neither a pass nor a finding.
TEST(ToyWhoseListenNeverSucceeds, LeavesFaultsWithoutVerdict) {
  const Folder folder;
  const Ran ran = run_toy(folder, "never-succeeds", kListenFails);
  EXPECT_EQ(ran.exit_code, 2) << ran.output;
  const auto report = read_json(folder.path() / "report/report.json");
  EXPECT_TRUE(report.at("findings").empty());
  EXPECT_EQ(report.at("tests").at(0).at("verdict"), "broken");
}

}  // namespace
