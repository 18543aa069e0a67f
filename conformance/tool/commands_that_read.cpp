// SPDX-License-Identifier: BSD-3-Clause
//
// The commands that need no device: they read reports, bundles, the catalogue and this host.
#include "conformance/catalogue/clauses.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/command_line.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/values.h"

namespace conformance {
namespace {

const std::vector<std::string> kProviders = {"mock", "rxe", "hw"};

CLI::Option& add_path(CLI::App& app, const char* name, std::filesystem::path& path, const char* what) {
  return *app.add_option(name, path, what)->type_name("PATH");
}

void add_explain(CommandLine& line) {
  struct Options {
    std::string what;
    ShownReport report;
    const CLI::Option* named = nullptr;
  };
  const auto all = std::make_shared<Options>();
  CLI::App& app = line.add("explain", "Describe a clause, a test or a point.", [all] {
    all->report.is_named = all->named->count() > 0;
    return explain(all->what, all->report);
  });
  line.offer(*app.add_option("WHAT", all->what, "A clause, a test or a point.")->required(), [] {
    std::vector<std::string> names = clause_names();
    for (const std::string& test : test_names()) names.push_back(test);
    return names;
  });
  all->named = add_path(app, "--report", all->report.folder, "Report folder to show results from.")
                   .capture_default_str();
}

void add_list(CommandLine& line) {
  struct Options {
    ListOptions list;
    bool clauses = false;
    ShownReport report;
    const CLI::Option* named = nullptr;
  };
  const auto all = std::make_shared<Options>();
  ListOptions& what = all->list;
  CLI::App& app = line.add("list", "List the tests or the clauses.", [all] {
    all->report.is_named = all->named->count() > 0;
    return all->clauses ? list_clauses(all->report, all->list.provider) : list(all->list);
  });
  line.choice(*app.add_option("--provider", what.provider, "List only what runs on this provider."),
              kProviders);
  CLI::Option* check =
      app.add_flag("--check", what.check, "Check that clauses, tests and profiles cover each other.");
  CLI::Option* freeze =
      app.add_option("--freeze", what.freeze, "Print the profile NAME/VERSION of all tests of this suite.")
          ->check(CLI::Validator(profile_version_error, "NAME/VERSION"));
  CLI::Option* clauses =
      app.add_flag("--clauses", all->clauses, "List each clause with its tests, points and verdict.")
          ->excludes(check)
          ->excludes(freeze);
  all->named = add_path(app, "--report", all->report.folder, "Report folder, for --clauses.")
                   .needs(clauses)
                   ->capture_default_str();
}

void add_diff(CommandLine& line) {
  struct Options {
    std::filesystem::path before;
    std::filesystem::path after;
    bool all = false;
  };
  const auto all = std::make_shared<Options>();
  CLI::App& app = line.add("diff", "Compare two runs; exit code 1 for a regression.",
                           [all] { return diff(all->before, all->after, all->all); });
  add_path(app, "OLD", all->before, "Report folder of the older run.").required();
  add_path(app, "NEW", all->after, "Report folder of the newer run.").required();
  app.add_flag("--all", all->all, "Show every changed point, not only the first ones.");
}

void add_merge(CommandLine& line) {
  struct Options {
    std::vector<std::filesystem::path> shards;
    RunOptions run;
  };
  const auto all = std::make_shared<Options>();
  CLI::App& app = line.add("merge", "Make one report from the shards of a run.",
                           [all] { return merge_reports(all->shards, all->run); });
  app.add_option("SHARD", all->shards, "Report folders of the shards.")->type_name("PATH")->required();
  add_path(app, "--report", all->run.report, "Folder for the merged report.").capture_default_str();
  add_path(app, "--baseline", all->run.baseline,
           "File of known findings; exit code 0 if the run shows exactly these.");
}

void add_baseline(CommandLine& line) {
  struct Options {
    std::filesystem::path report;
    std::filesystem::path file;
  };
  const auto all = std::make_shared<Options>();
  CLI::App& app = line.add("baseline", "Make or update a baseline from a report.",
                           [all] { return write_baseline(all->report, all->file); });
  add_path(app, "REPORT", all->report, "Report folder of a complete run.").required();
  add_path(app, "-o,--output", all->file, "The baseline's file.").required();
}

void add_bundle(CommandLine& line) {
  const auto what = std::make_shared<BundleOptions>();
  CLI::App& app = line.add("bundle", "Pack a report so that another party can check it.",
                           [what] { return bundle(*what); });
  add_path(app, "REPORT", what->report, "Report folder of a finished run.").required();
  add_path(app, "-o,--output", what->output, "The bundle's file (.tar.zst).").required();
  add_path(app, "--key", what->key, "Private Ed25519 key (PEM) to sign with.");
  app.add_flag("--force", what->replace, "Replace an existing file.");
}

void add_verify(CommandLine& line) {
  const auto what = std::make_shared<VerifyOptions>();
  CLI::App& app = line.add("verify", "Check a bundle.", [what] { return verify_bundle(*what); });
  add_path(app, "BUNDLE", what->file, "File made by 'rpma-conformance bundle'.").required();
  add_path(app, "--public-key", what->public_key, "Ed25519 key (PEM) of the expected signer.");
  add_path(app, "--profile", what->profile, "File of the profile that the run must be measured against.");
}

void add_doctor(CommandLine& line) {
  const auto provider = std::make_shared<std::string>("rxe");
  CLI::App& app = line.add("doctor", "Show what this host can run, and how to install what is missing.",
                           [provider] { return doctor(*provider); });
  line.choice(*app.add_option("--provider", *provider, "Provider that must work for exit code 0.")
                   ->capture_default_str(),
              kProviders);
}

}  // namespace

void add_commands_that_read(CommandLine& line) {
  add_explain(line);
  add_list(line);
  add_diff(line);
  add_merge(line);
  add_baseline(line);
  add_bundle(line);
  add_verify(line);
  add_doctor(line);
}

std::vector<std::string> test_names() {
  std::vector<std::string> names;
  for (const Test& test : all_tests()) names.push_back(test.id());
  return names;
}

std::vector<std::string> clause_names() {
  std::vector<std::string> names;
  for (const Clause& clause : clauses()) names.emplace_back(clause.id);
  return names;
}

std::vector<std::string> point_names() {
  std::vector<std::string> names;
  for (const Test& test : all_tests())
    for (const Case& one : test.cases) names.push_back(one.experiment.point());
  return names;
}

}  // namespace conformance
