// SPDX-License-Identifier: BSD-3-Clause
//
// What real readers make of report.tap and junit.xml: perl's prove and TAP::Parser, PyYAML, xmllint.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "conformance/report/half_file.h"
#include "conformance/report/plain.h"
#include "conformance/report/report.h"
#include "conformance/tests/tool.h"
#include "conformance/tests/views.h"

namespace conformance {
namespace {

using testing::HasSubstr;
using testing_tool::Folder;
using testing_tool::Ran;

// Debian 12's prove knows TAP up to 13 (tap.cpp).
Ran prove(const std::filesystem::path& tap) {
  return testing_tool::run({"prove", "--exec", "sed 1s/14/13/", tap});
}

Ran prove(const RunResult& run) {
  const Folder folder;
  write_whole(folder.path() / "report.tap", to_tap(run));
  return prove(folder.path() / "report.tap");
}

// What TAP::Parser reads: {"planned": N, "errors": [...], "tests": [{"id", "ok", "directive", "why",
// "yaml"}]}.
nlohmann::json parsed_by_perl(const RunResult& run) {
  const Folder folder;
  write_whole(folder.path() / "report.tap", to_tap(run));
  const Ran ran = testing_tool::run({"perl", "-MTAP::Parser", "-MJSON::PP", "-e", R"PERL(
    local $/;
    my $tap = <>;
    $tap =~ s/14/13/;
    my $parser = TAP::Parser->new({tap => $tap});
    my @tests;
    while (my $line = $parser->next) {
      push @tests, {id => $line->description, ok => $line->is_actual_ok ? 1 : 0,
                    directive => $line->directive, why => $line->explanation} if $line->is_test;
      $tests[-1]{yaml} = $line->data if $line->is_yaml;
    }
    print encode_json({planned => $parser->tests_planned, errors => [$parser->parse_errors], tests => \@tests});
  )PERL",
                                     folder.path() / "report.tap"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  nlohmann::json read = nlohmann::json::parse(ran.output, nullptr, false);
  EXPECT_FALSE(read.is_discarded()) << ran.output.substr(0, 2000);
  return read;
}

// The YAML blocks, as PyYAML reads them.
nlohmann::json blocks_read_by_python(const RunResult& run) {
  const Folder folder;
  write_whole(folder.path() / "report.tap", to_tap(run));
  const Ran ran = testing_tool::run({"/usr/bin/python3", "-c", R"PYTHON(
import json, re, sys, yaml
text = open(sys.argv[1], encoding="utf-8", newline="\n").read()
blocks = re.findall("^  ---\n(.*?)^  \\.\\.\\.\n", text, re.MULTILINE | re.DOTALL)
print(json.dumps([yaml.safe_load(block) for block in blocks]))
)PYTHON",
                                     folder.path() / "report.tap"});
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  nlohmann::json read = nlohmann::json::parse(ran.output, nullptr, false);
  EXPECT_FALSE(read.is_discarded()) << ran.output.substr(0, 2000);
  return read;
}

TEST(Prove, AgreesWithTheExitCode) {
  for (const std::string_view name : kVerdictNames) {
    const RunResult run =
        result_of_run({result_of_test("A", Verdict::Pass), result_of_test("B", *verdict_named(name))});
    const Ran ran = prove(run);
    EXPECT_EQ(ran.exit_code == 0, exit_code_of(run) == 0) << name << '\n' << ran.output;
  }
}

TEST(Prove, NoticesThatTestsAreMissing) {
  RunResult run = result_of_run({result_of_test("A", Verdict::Pass)});
  EXPECT_EQ(prove(run).exit_code, 0);
  run.selected = 2;
  const Ran ran = prove(run);
  EXPECT_NE(ran.exit_code, 0);
  EXPECT_NE(prove(result_of_run({})).exit_code, 0);
}

// A real run, to the end of the tool's own writing.
TEST(Prove, ReadsARunThatPasses) {
  const Folder folder;
  const std::filesystem::path report = folder.path() / "report";
  ASSERT_EQ(testing_tool::run({testing_tool::tool(), "run", "--provider", "mock", "--filter", "Listen.Null*",
                               "--librpma", testing_tool::reference(), "--report", report})
                .exit_code,
            0);
  const Ran ran = prove(report / "report.tap");
  EXPECT_EQ(ran.exit_code, 0) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("Result: PASS"));
  EXPECT_THAT(
      ran.output,
      HasSubstr("Tests=" + std::to_string(testing_tool::read_json(report / "report.json")["tests"].size())));
}

TEST(Prove, ReadsARunThatFails) {
  const Folder folder;
  const std::filesystem::path report = folder.path() / "report";
  ASSERT_EQ(testing_tool::run({testing_tool::tool(), "run", "--provider", "mock", "--filter",
                               "Listen.FailingListenGivesEProvider/*", "--librpma", testing_tool::toy(),
                               "--report", report},
                              {"RPMACONF_TOY=positive-code"})
                .exit_code,
            1);
  const Ran ran = prove(report / "report.tap");
  EXPECT_EQ(ran.exit_code, 1) << ran.output;
  EXPECT_THAT(ran.output, HasSubstr("Result: FAIL"));
}

TEST(TapParser, ReadsWhatWasWritten) {
  const nlohmann::json read = parsed_by_perl(run_of_all_verdicts());
  EXPECT_EQ(read.at("planned"), 9);
  EXPECT_EQ(read.at("errors"), nlohmann::json::array());
  for (const nlohmann::json& test : read.at("tests")) {
    const std::string id = test.at("id").get<std::string>().substr(2);  // after "- "
    EXPECT_EQ(test.at("ok"), id == "pass" ? 1 : 0);
    EXPECT_EQ(test.at("directive"), id == "waived"                           ? "TODO"
                                    : id == "skipped" || id == "unsupported" ? "SKIP"
                                                                             : "");
    EXPECT_EQ(test.contains("yaml"), id != "pass");
    if (id == "pass") continue;
    EXPECT_EQ(test["yaml"]["verdict"], id);
    EXPECT_EQ(test["yaml"]["clauses"][0]["at"][0], "rpma_ep_listen/" + id);
  }
}

TEST(TapParser, IsNotMisledByText) {
  const RunResult run = run_of_hostile_texts();
  const nlohmann::json read = parsed_by_perl(run);
  EXPECT_EQ(read.at("errors"), nlohmann::json::array());
  ASSERT_EQ(read.at("tests").size(), run.tests.size());
  for (const nlohmann::json& test : read.at("tests")) {
    EXPECT_EQ(test.at("ok"), 0);
    EXPECT_EQ(test.at("directive"), "") << test;
    EXPECT_EQ(test.at("yaml").at("verdict"), "fail");
  }
}

TEST(Yaml, GivesTheTextBack) {
  const RunResult run = run_of_hostile_texts();
  const nlohmann::json blocks = blocks_read_by_python(run);
  ASSERT_EQ(blocks.size(), run.tests.size());
  for (size_t i = 0; i < blocks.size(); ++i) {
    const std::string& text = hostile_texts()[i];
    // What is no UTF-8 cannot come back, and JSON's way to write a far character is not YAML's.
    const bool plain = std::ranges::all_of(text, [](char c) { return c >= '\0'; });
    if (!plain) continue;
    EXPECT_EQ(blocks[i]["reason"], text);
    EXPECT_EQ(blocks[i]["clauses"][0]["clause"], text);
    EXPECT_EQ(blocks[i]["clauses"][0]["at"], (std::vector<std::string>{text, "a: " + text, text + ": a"}));
  }
}

// The command that a report offers is one command with these words, whatever text is in it.
TEST(Again, IsOneCommandOfAShell) {
  for (const std::string& text : hostile_texts()) {
    if (text.find('\0') != std::string::npos) continue;  // no word of a command has one
    const Ran ran = testing_tool::run({"sh", "-c", "printf '%s|' " + shell_quoted(text) + " end"});
    EXPECT_EQ(ran.output, text + "|end|");
  }
}

Ran xmllint(const std::filesystem::path& file, const std::string& xpath) {
  return testing_tool::run({"xmllint", "--nonet", "--huge", "--xpath", xpath, file});
}

TEST(Xml, IsWellFormedAndHasNoForgedCases) {
  const RunResult run = run_of_hostile_texts();
  const Folder folder;
  const std::filesystem::path file = folder.path() / "junit.xml";
  write_whole(file, to_junit(run));
  EXPECT_EQ(xmllint(file, "count(//testcase)").output, std::to_string(run.tests.size()) + "\n");
  EXPECT_EQ(xmllint(file, "count(//testcase[count(*) = 1 and failure])").output,
            std::to_string(run.tests.size()) + "\n");
  EXPECT_EQ(xmllint(file, "string(//testcase[11]/failure/@message)").output,
            "fail: " + hostile_texts()[10] + "\n");
  EXPECT_EQ(xmllint(file, "string(//testcase[15]/@name)").output, hostile_texts()[14] + "\n");
}

TEST(Xml, OfARealRunIsWellFormed) {
  const Folder folder;
  const std::filesystem::path report = folder.path() / "report";
  ASSERT_EQ(testing_tool::run({testing_tool::tool(), "run", "--provider", "mock", "--filter",
                               "Listen.FailingListenGivesEProvider/*", "--librpma", testing_tool::toy(),
                               "--report", report},
                              {"RPMACONF_TOY=positive-code"})
                .exit_code,
            1);
  const std::string count = std::to_string(testing_tool::read_json(report / "report.json")["tests"].size());
  EXPECT_EQ(xmllint(report / "junit.xml", "count(//testcase)").output, count + "\n");
  EXPECT_EQ(xmllint(report / "junit.xml", "count(//testcase[failure])").output, count + "\n");
  EXPECT_EQ(xmllint(report / "junit.xml", "string(//testsuite/@failures)").output, count + "\n");
}

}  // namespace
}  // namespace conformance
