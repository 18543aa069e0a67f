// SPDX-License-Identifier: BSD-3-Clause
//
// Where the host lacks a feature: doctor names it, and tests that need it are unsupported; no module is
// accused.
#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "conformance/tests/tool.h"

namespace {

using namespace conformance::testing_tool;

struct Lack {
  const char* name;
  const char* need;                 // how doctor's text of it begins
  std::vector<std::string> before;  // words that take the feature away from a command
  const char* filter;               // with tests that need it on a kernel
  int exit_code_on_mock;
  int exit_code_on_kernel;
};

// GoogleTest shows this, and CTest makes it a part of the name.
void PrintTo(const Lack& lack, std::ostream* out) {
  *out << lack.name;
}

const Lack kLacks[] = {
    {"IPv6", "IPv6 sockets", {RPMACONF_LACKING, "ipv6"}, "Case.06_IPv6*:Case.11_IPv6*", 0, 3},
    {"PidFd", "the system call pidfd_open", {RPMACONF_LACKING, "pidfd_open"}, "Listen.Null*", 2, 2},
    {"Dispatch",
     "Syscall User Dispatch",
     {RPMACONF_LACKING, "dispatch"},
     "Case.05_PortBusyGivesEProvider/*",
     3,
     3},
    {"Mounts",
     "mount namespaces",
     {"setpriv", "--bounding-set", "-sys_admin"},
     "Listen.Null*:Case.02_*:Case.03_*",
     0,
     3},
};

std::set<std::string> missing_in(const nlohmann::json& document) {
  std::set<std::string> missing;
  for (const nlohmann::json& need : document.at("needs"))
    if (!need.at("present").get<bool>()) missing.insert(need.at("what"));
  return missing;
}

nlohmann::json doctor(const std::vector<std::string>& before) {
  return nlohmann::json::parse(run_there(before, {"doctor", "--format", "json"}).output);
}

class HostThatLacks : public testing::TestWithParam<Lack> {};

TEST_P(HostThatLacks, IsNamedByDoctor) {
  // In a container this host may lack it, too.
  const nlohmann::json ordinary = doctor({});
  const nlohmann::json lacking = doctor(GetParam().before);
  std::set<std::string> missing = missing_in(lacking);
  const auto is_named = [](const std::string& what) { return what.starts_with(GetParam().need); };
  EXPECT_EQ(std::erase_if(missing, is_named), 1U) << lacking;
  for (const std::string& other : missing_in(ordinary)) missing.erase(other);
  EXPECT_TRUE(missing.empty()) << lacking;
  EXPECT_EQ(lacking.at("can_run").at("mock"), GetParam().exit_code_on_mock != 2) << lacking;
}

TEST_P(HostThatLacks, AccusesNoModule) {
  const Lack& lack = GetParam();
  const Folder folder;
  std::vector<std::string> words = {"run", "--filter", lack.filter, "--report", folder.path() / "report"};
  const std::vector<std::string> provider = provider_there();
  words.insert(words.end(), provider.begin(), provider.end());
  const int expected = in_machine().empty() ? lack.exit_code_on_mock : lack.exit_code_on_kernel;
  const Ran ran = run_there(lack.before, words);
  EXPECT_EQ(ran.exit_code, expected) << ran.output;
  if (expected == 2) return;
  const nlohmann::json report = read_json(folder.path() / "report/report.json");
  EXPECT_TRUE(report.at("findings").empty()) << ran.output;
  std::set<std::string> verdicts;
  for (const nlohmann::json& test : report.at("tests"))
    if (test.at("id") != "Kernel.LogStaysClean") verdicts.insert(test.at("verdict"));
  EXPECT_EQ(verdicts.erase("unsupported"), expected == 3 ? 1U : 0U) << ran.output;
  verdicts.erase("pass");
  EXPECT_TRUE(verdicts.empty()) << ran.output;
}

INSTANTIATE_TEST_SUITE_P(Features, HostThatLacks, testing::ValuesIn(kLacks),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
