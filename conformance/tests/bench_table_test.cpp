// SPDX-License-Identifier: BSD-3-Clause
//
// ci/bench --compare: ratios compared with those of an earlier run.
#include <gmock/gmock.h>

#include <fstream>

#include "conformance/tests/tool.h"

namespace conformance {
namespace {

using namespace testing_tool;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// One ratio, with its quartiles.
std::string ratios_in(const Folder& folder, const char* name, double ratio, double low, double high) {
  std::string file = folder.path() / name;
  std::ofstream(file) << nlohmann::json::array({{{"name", "malloc_free/disarmed/16"},
                                                 {"ratio", ratio},
                                                 {"low", low},
                                                 {"high", high},
                                                 {"goal", 1.1},
                                                 {"bare", 8.0},
                                                 {"unit", "ns"},
                                                 {"samples", 41}}});
  return file;
}

TEST(BenchTable, WorseThanTheSpreadIsReported) {
  const Folder folder;
  const std::string then = ratios_in(folder, "then", 1.05, 1.03, 1.07);
  const Ran ran = run({RPMACONF_BENCH_TABLE, "--compare", then, ratios_in(folder, "now", 1.12, 1.10, 1.13)});
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_THAT(ran.output,
              AllOf(HasSubstr("malloc_free/disarmed/16 is 1.120"), HasSubstr("1.050"), HasSubstr("0.040")));
}

TEST(BenchTable, AChangeWithinTheSpreadOfEitherRunIsNot) {
  const Folder folder;
  const std::string then = ratios_in(folder, "then", 1.05, 1.04, 1.06);
  for (const std::string& now :
       {ratios_in(folder, "wide", 1.12, 1.04, 1.13), ratios_in(folder, "better", 0.9, 0.9, 0.9)}) {
    const Ran ran = run({RPMACONF_BENCH_TABLE, "--compare", then, now});
    EXPECT_EQ(ran.exit_code, 0) << ran.output;
    EXPECT_THAT(ran.output, Not(HasSubstr("malloc_free/disarmed/16 is")));
  }
}

TEST(BenchTable, CollectsTheRatiosOfAllFiles) {
  const Folder folder;
  const std::string all = folder.path() / "all";
  EXPECT_EQ(run({RPMACONF_BENCH_TABLE, "--ratios", all, ratios_in(folder, "a", 1.05, 1.04, 1.06),
                 ratios_in(folder, "b", 1.2, 1.1, 1.3)})
                .exit_code,
            0);
  EXPECT_EQ(nlohmann::json::parse(std::ifstream(all)).size(), 2U);
}

TEST(BenchTable, AFileWithoutRatiosIsRefusedByName) {
  const Folder folder;
  const std::string half = folder.path() / "half";
  std::ofstream(half) << "[{\"name\":";
  const std::string absent = folder.path() / "absent";
  for (const std::string& file : {half, absent}) {
    const Ran ran = run({RPMACONF_BENCH_TABLE, file});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_THAT(ran.output, HasSubstr(file));
  }
}

}  // namespace
}  // namespace conformance
