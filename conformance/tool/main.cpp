// SPDX-License-Identifier: BSD-3-Clause
//
// rpma-conformance: the command line.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <span>

#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/pages.h"
#include "conformance/tool/run_record.h"
#include "conformance/tool/values.h"
#include "conformance/version.h"

namespace conformance {
namespace {

constexpr size_t kMostOfACommandLine = 500;  // of what was typed

// What stands under the function under test, and whom it is to be judged: the same for each command that
// tests.
void add_surroundings(CLI::App& app, RunOptions& options) {
  app.add_option("--provider", options.provider, "what stands under librpma: mock, rxe or hw")
      ->check(CLI::IsMember({"mock", "rxe", "hw"}))
      ->capture_default_str();
  app.add_option("--device", options.device,
                 "RDMA device of this host; rxe without it runs in a virtual machine of its own");
  app.add_option("--addr", options.address, "address of the device's network interface (default: its first)");
  app.add_option("--librpma", options.librpma,
                 "the librpma under test: a file (default: the system's librpma.so.0)");
  app.add_option("--rdma-core", options.rdma_core,
                 "folder with librdmacm and libibverbs (default: the system's)");
  app.add_option("--judge", options.subject,
                 "whose verdict sets the exit code: iut, stack, or modules with commas")
      ->capture_default_str();
  app.add_option(
         "--timeout", options.timeout,
         "seconds for one experiment, at least 10 (default: as the machine's speed demands, 20 to 60)")
      ->check(CLI::Range(10, 3600));
  app.add_flag("--allow-disruptive", options.allow_disruptive,
               "on a device of this host: also conditions that disturb the whole host");
  app.add_option("--kernel", options.kernel, "kernel package (.deb) for the rxe machine");
  app.add_option("--machine", options.machine, "state folder of an rxe machine that runs already");
  app.add_flag("--in-machine", options.in_machine)->group("");  // hidden: machine.cpp
}

void add_run(CLI::App& app, RunOptions& options) {
  add_surroundings(app, options);
  app.add_option("--filter", options.filter,
                 "tests to run: globs separated by ':', those to leave out after '-'")
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "experiments at a time (default: one for each processor)")
      ->check(CLI::Range(1, 64));
  app.add_option("--seed", options.seed, "of what is chosen where not everything is tried")
      ->check(CLI::Validator(is_no_seed, "NUMBER"))
      ->capture_default_str();
  app.add_option("--shard", options.shard,
                 "I/N: a part of the tests, of N that make the whole; never certifiable")
      ->check(CLI::Validator(is_no_shard, "I/N"));
  app.add_flag("--complete", options.complete,
               "try every pair of faults instead of those that the seed chooses");
  app.add_option("--report", options.report,
                 "folder for report.json, junit.xml, results.jsonl and points.jsonl")
      ->capture_default_str();
  app.add_option("--profile", options.profile, "what it is measured against: NAME, or NAME/VERSION")
      ->capture_default_str();
  app.add_option("--waivers", options.waivers,
                 "file of findings that somebody answers for, for a while (README)");
  app.add_flag("--continue", options.resume)->group("");  // hidden: run_in_machine.cpp
  app.add_option("--baseline", options.baseline, "known findings: exit 0 where the run shows exactly these");
}

// A run that goes on is the one that it was: only what decides no verdict can be said anew.
void read_resumed(const CLI::App& app, RunOptions& options, const std::filesystem::path& folder) {
  for (const CLI::Option* option : app.get_options())
    if (option->count() > 0 && option->get_name() != "--resume" && option->get_name() != "--jobs" &&
        option->get_name() != "--machine")
      throw SetupError(
          fmt::format("--resume goes on with what the run was told: leave {} out", option->get_name()));
  const RunOptions said = std::move(options);
  options = read_run_record(folder).options;
  options.jobs = said.jobs;
  options.machine = said.machine;
}

void add_self_check(CLI::App& app, RunOptions& options, SelfCheckOptions& what) {
  add_surroundings(app, options);
  app.add_option("--jobs", options.jobs, "trials at a time (default: one for each processor)")
      ->check(CLI::Range(1, 64));
  app.add_option("--report", options.report, "folder for self-check.json, beside a run's report")
      ->capture_default_str();
  app.add_flag_callback(
      "--defects-only", [&what] { what.reference = false; },
      "leave the reference listener out, which must pass the whole suite");
  app.add_option("--defect", what.defect, "only this one");
  app.add_option("--listener", what.listener)->group("");  // hidden: for tests
  app.add_flag("--kernel-only", what.kernel_only, "only defects that the mock cannot show");
}

void add_false_alarms(CLI::App& app, RunOptions& options, FalseAlarmOptions& what) {
  add_surroundings(app, options);
  app.add_option("--runs", what.runs,
                 "of the whole suite, each with a seed and numbers of jobs and shards of its own")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--first", what.first, "number of the first run, where others were made before")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "runs at a time on the mock (default: one for each processor)")
      ->check(CLI::Range(1, 64));
  app.add_option("--report", options.report, "folder for false-alarms.json and the reports that accuse")
      ->capture_default_str();
}

void add_bundle(CLI::App& app, BundleOptions& what) {
  app.add_option("REPORT", what.report, "folder of a run that came to its end")->required();
  app.add_option("-o,--output", what.output, "the bundle: a .tar.zst file")->required();
  app.add_option("--key", what.key, "private Ed25519 key (PEM) to sign with");
  app.add_flag("--force", what.replace, "replace a file that is there already");
}

void add_verify(CLI::App& app, VerifyOptions& what) {
  app.add_option("BUNDLE", what.file, "as 'rpma-conformance bundle' made it")->required();
  app.add_option("--public-key", what.public_key, "Ed25519 key (PEM) that must have signed it");
  app.add_option("--profile", what.profile, "file of the profile that it must have been measured against");
}

void add_replay(CLI::App& app, RunOptions& options, ReplayOptions& what) {
  add_surroundings(app, options);
  app.add_option("POINT", what.point, "as a report shows it")->required();
  app.add_flag("--all", what.all, "every call in the time line, also allocations of modules below librpma");
  app.add_flag("--system-calls", what.system_calls, "system calls too, where the point is not about one");
  app.add_option("--under", what.under,
                 "gdb or valgrind, or such a command of your own: the guard is off, and no verdict is given");
  app.add_flag("--in-process", what.in_process)->group("");  // hidden: replay_in_machine.cpp
}

// Every path is made absolute here: what is named is what is judged, in the machine as on this host.
void make_absolute(RunOptions& options) {
  for (std::string* path : {&options.librpma, &options.rdma_core, &options.kernel})
    if (!path->empty()) *path = std::filesystem::absolute(*path);
  for (std::filesystem::path* path : {&options.baseline, &options.waivers})
    if (!path->empty()) *path = std::filesystem::absolute(*path);
}

// Of a pipe, the loader would wait for what it never gets.
void need_librpma(const std::string& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw SetupError(fmt::format("there is no file {}; name a librpma with --librpma FILE", file));
  if (!std::filesystem::is_regular_file(status))
    throw SetupError(fmt::format("{} is no regular file; name a librpma with --librpma FILE", file));
}

// What cannot have an effect would make a verdict about something else than was asked for.
void refuse_idle_options(const RunOptions& options) {
  const bool in_a_machine = options.provider == "rxe" && (options.device.empty() || options.in_machine);
  if (in_a_machine && !options.kernel.empty() && !options.machine.empty())
    throw SetupError(
        "--kernel is for a machine that is started, --machine names one that runs: leave one out");
  if (!in_a_machine && (!options.kernel.empty() || !options.machine.empty()))
    throw SetupError("--kernel and --machine are for the rxe machine: use --provider rxe without --device");
}

// Checks and completes the options. True where an rxe machine is needed.
bool prepare(RunOptions& options) {
  refuse_idle_options(options);
  make_absolute(options);
  if (!options.librpma.empty()) need_librpma(options.librpma);
  if (options.in_machine) options.allow_disruptive = true;  // it is ours
  if (options.provider == "hw" && options.device.empty())
    throw SetupError(
        "--provider hw needs --device NAME: this host's devices are used only when named; "
        "'rpma-conformance doctor' lists them");
  return options.provider == "rxe" && options.device.empty();
}

int run(RunOptions options, char** argv) {
  if (prepare(options)) return run_in_machine(options);
  with_preload(options, argv);
  return run_here(options);
}

int replay(RunOptions options, const ReplayOptions& what, char** argv) {
  if (prepare(options)) return replay_in_machine(options, what);
  if (!what.under.empty()) return replay_under(options, what);
  with_preload(options, argv);
  return replay_here(options, what);
}

int self_check(RunOptions options, const SelfCheckOptions& what) {
  if (!options.librpma.empty()) throw SetupError("self-check brings its own librpma: leave --librpma out");
  options.librpma = what.listener;
  return prepare(options) ? self_check_in_machine(options, what) : self_check_here(options, what);
}

int main_or_throw(int argc, char** argv) {
  CLI::App app{
      "Fault injection and conformance for RDMA listeners: does rpma_ep_listen(3) keep its promises when "
      "something underneath fails?"};
  app.set_version_flag("--version", fmt::format("rpma-conformance {} ({})", kVersion, kCommit));
  app.require_subcommand(1);
  app.footer("Exit codes: 0 conforms, 1 a finding, 2 usage or set-up, 3 incomplete, 4 bundle invalid.");

  RunOptions run_options;
  CLI::App* run_command = app.add_subcommand("run", "run the suite and give a verdict");
  add_run(*run_command, run_options);
  std::filesystem::path resumed;
  run_command->add_option("--resume", resumed, "report folder of a run that was ended early: go on with it");
  ReplayOptions replay_options;
  CLI::App* replay_command = app.add_subcommand("replay", "run one point again and show it call by call");
  add_replay(*replay_command, run_options, replay_options);
  std::string explained;
  ShownReport shown_report;
  CLI::App* explain_command =
      app.add_subcommand("explain", "what a clause or a point is about; needs no device");
  explain_command->add_option("WHAT", explained, "a clause, a test or a point")->required();
  const CLI::Option* explain_report =
      explain_command->add_option("--report", shown_report.folder, "folder of a run that may have seen it")
          ->capture_default_str();
  SelfCheckOptions self_check_options;
  CLI::App* self_check_command = app.add_subcommand(
      "self-check", "does the suite notice? the reference listener must pass, each known defect must not");
  add_self_check(*self_check_command, run_options, self_check_options);
  FalseAlarmOptions false_alarm_options;
  CLI::App* false_alarms_command = app.add_subcommand(
      "false-alarms", "how often many runs accuse a right listener (default: the reference)");
  add_false_alarms(*false_alarms_command, run_options, false_alarm_options);
  BundleOptions bundle_options;
  CLI::App* bundle_command =
      app.add_subcommand("bundle", "pack a report so that another party can check it; needs no device");
  add_bundle(*bundle_command, bundle_options);
  VerifyOptions verify_options;
  CLI::App* verify_command =
      app.add_subcommand("verify", "check such a bundle; needs no device and no network");
  add_verify(*verify_command, verify_options);
  std::filesystem::path old_report;
  std::filesystem::path new_report;
  CLI::App* diff_command =
      app.add_subcommand("diff", "what got worse, better, appeared or vanished between two runs");
  diff_command->add_option("OLD", old_report, "report folder")->required();
  diff_command->add_option("NEW", new_report, "report folder")->required();
  bool diff_all = false;
  diff_command->add_flag("--all", diff_all, "every point, not only the first few");
  std::vector<std::filesystem::path> shards;
  CLI::App* merge_command = app.add_subcommand("merge", "make one report of the shards of a run");
  merge_command->add_option("SHARD", shards, "their report folders")->required();
  merge_command->add_option("--report", run_options.report, "folder for the whole report")
      ->capture_default_str();
  merge_command->add_option("--baseline", run_options.baseline,
                            "known findings: exit 0 where the whole shows exactly these");
  std::filesystem::path new_baseline;
  CLI::App* baseline_command =
      app.add_subcommand("baseline", "make a baseline of a report, or update one: review what it changes");
  baseline_command->add_option("REPORT", new_report, "report folder of a complete run")->required();
  baseline_command->add_option("-o,--output", new_baseline, "the baseline's file")->required();
  ListOptions list_options;
  CLI::App* list_command = app.add_subcommand("list", "list the tests; needs no device");
  CLI::Option* list_json = list_command->add_flag("--json", list_options.json, "for machines");
  CLI::Option* list_check = list_command->add_flag(
      "--check", list_options.check, "only check that clauses, tests and profiles cover each other");
  CLI::Option* list_freeze =
      list_command
          ->add_option("--freeze", list_options.freeze,
                       "NAME/VERSION: print the profile of all tests of today, for share/.../profiles")
          ->check(CLI::Validator(is_no_profile_version, "NAME/VERSION"));
  bool by_clauses = false;
  CLI::Option* list_by_clauses =
      list_command
          ->add_flag("--clauses", by_clauses,
                     "the requirement matrix: each clause, its tests, points and verdict")
          ->excludes(list_json)
          ->excludes(list_check)
          ->excludes(list_freeze);
  const CLI::Option* list_report =
      list_command->add_option("--report", shown_report.folder, "folder of a run, for --clauses")
          ->needs(list_by_clauses)
          ->capture_default_str();
  list_command->add_option("--provider", list_options.provider, "only those of mock, rxe or hw")
      ->check(CLI::IsMember({"mock", "rxe", "hw"}));
  std::string doctor_provider = "rxe";
  CLI::App* doctor_command =
      app.add_subcommand("doctor", "what this host can run, what is missing, how to mend it");
  doctor_command->add_option("--provider", doctor_provider, "that must work for exit code 0: mock, rxe or hw")
      ->check(CLI::IsMember({"mock", "rxe", "hw"}))
      ->capture_default_str();
  std::filesystem::path page;
  CLI::App* pages_command = app.add_subcommand("pages", "print a man page's Markdown with its tables");
  pages_command->group("")->add_option("PAGE", page, "file")->required();  // hidden: conformance/pages

  refuse_empty_values(app, std::span(argv, static_cast<size_t>(argc)));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "rpma-conformance: {}; see rpma-conformance --help\n",
               as_one_line(error.what(), kMostOfACommandLine));
    return kUsage;
  }
  shown_report.is_named = explain_report->count() > 0 || list_report->count() > 0;
  if (!resumed.empty()) read_resumed(*run_command, run_options, resumed);
  if (*run_command) return run(run_options, argv);
  if (*replay_command) return replay(run_options, replay_options, argv);
  if (*self_check_command) return self_check(run_options, self_check_options);
  if (*false_alarms_command)
    return prepare(run_options) ? false_alarms_in_machine(run_options, false_alarm_options)
                                : false_alarms_here(run_options, false_alarm_options);
  if (*diff_command) return diff(old_report, new_report, diff_all);
  if (*merge_command) return merge_reports(shards, run_options);
  if (*baseline_command) return write_baseline(new_report, new_baseline);
  if (*explain_command) return explain(explained, shown_report);
  if (*bundle_command) return bundle(bundle_options);
  if (*verify_command) return verify_bundle(verify_options);
  if (*list_command && by_clauses) return list_clauses(shown_report, list_options.provider);
  if (*list_command) return list(list_options);
  if (*pages_command) return print_page(app, page);
  return doctor(doctor_provider);
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  int code = conformance::kUsage;
  try {
    code = conformance::main_or_throw(argc, argv);
  } catch (const conformance::SetupError& error) {
    fmt::print(stderr, "rpma-conformance: {}\n", conformance::as_one_line(error.what()));
  } catch (const std::exception& error) {
    // {fmt} throws where it cannot write; of that, the line below tells.
    if (std::ferror(stdout) == 0)
      fmt::print(stderr,
                 "rpma-conformance: unexpected: {}; please report it with the command that you gave\n",
                 conformance::as_one_line(error.what()));
  }
  // Whatever nobody could read is no answer; what is in a report folder stays there.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    fmt::print(stderr,
               "rpma-conformance: the output could not be written; make room, or send it elsewhere\n");
    return conformance::kUsage;
  }
  return code;
}
