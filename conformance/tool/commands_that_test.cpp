// SPDX-License-Identifier: BSD-3-Clause
//
// The commands that run the suite or a part of it: run, replay, self-check, false-alarms.
#include <fmt/format.h>

#include <filesystem>

#include "conformance/catalogue/profile.h"
#include "conformance/harness/elf_file.h"
#include "conformance/harness/library.h"
#include "conformance/tool/command_line.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/run_record.h"
#include "conformance/tool/target.h"
#include "conformance/tool/trial.h"
#include "conformance/tool/values.h"
#include "conformance/tool/worker.h"

namespace conformance {
namespace {

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const Profile& profile : profiles_in(find_parts().profiles)) names.push_back(profile.id());
  return names;
}

std::vector<std::string> defect_names() {
  std::vector<std::string> names;
  for (const listener::Defect& defect : listener::defects()) names.emplace_back(defect.name);
  return names;
}

// The stack under test: the same for each command that tests.
void add_surroundings(CommandLine& line, CLI::App& app, RunOptions& options) {
  line.choice(
      *app.add_option("--provider", options.provider, "Provider of the RDMA device.")->capture_default_str(),
      {"mock", "rxe", "hw"});
  line.offer(*app.add_option("--device", options.device,
                             "RDMA device of this host; without it, rxe runs in a virtual machine."),
             rdma_devices);
  app.add_option("--addr", options.address, "IP address of the device (default: its first).");
  app.add_option("--librpma", options.librpma, "librpma under test (default: the system's librpma.so.0).")
      ->type_name("FILE");
  app.add_option("--rdma-core", options.rdma_core,
                 "Folder with librdmacm and libibverbs (default: the system's).")
      ->type_name("DIR");
  app.add_option("--timeout", options.timeout,
                 "Seconds for one experiment (default: 20 to 60, depending on the machine's speed).")
      ->check(CLI::Range(10, 3600));
  app.add_flag("--allow-disruptive", options.allow_disruptive,
               "Also test conditions that disturb the whole host.");
  app.add_option("--kernel", options.kernel, "Kernel package (.deb) for the rxe machine.")->type_name("FILE");
  app.add_option("--machine", options.machine, "State folder of an rxe machine that is already running.")
      ->type_name("DIR");
  app.add_flag("--in-machine", options.in_machine)->group("");  // hidden: machine.cpp
}

void add_subject(CommandLine& line, CLI::App& app, RunOptions& options) {
  line.offer(*app.add_option("--judge", options.subject,
                             "Subject whose verdict sets the exit code: iut, stack, or modules with commas.")
                  ->capture_default_str(),
             [] {
               return std::vector<std::string>{"stack",   "iut",  "rdmacm", "ibverbs", "driver",
                                               "netlink", "libc", "loader", "kernel"};
             });
}

void add_jobs(CLI::App& app, RunOptions& options, const char* what) {
  app.add_option("--jobs", options.jobs, what)->check(CLI::Range(1, 64));
}

void add_report(CLI::App& app, RunOptions& options, const char* what) {
  app.add_option("--report", options.report, what)->type_name("DIR")->capture_default_str();
}

// A resumed run keeps its options: only those that change no verdict can be given again.
void read_resumed(const CLI::App& app, RunOptions& options, const std::filesystem::path& folder) {
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    if (option->count() > 0 && option->get_group() != kCommonOptions && name != "--resume" &&
        name != "--jobs" && name != "--machine")
      throw SetupError(fmt::format("--resume keeps the options of the run: leave {} out", name));
  }
  const RunOptions given = std::move(options);
  options = read_run_record(folder).options;
  options.jobs = given.jobs;
  options.machine = given.machine;
}

std::filesystem::path absolute_path(const std::filesystem::path& path) {
  std::error_code error;
  if (path.empty()) return path;
  std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error)
    throw SetupError(
        fmt::format("cannot find {}: {} (the working directory is gone?); name it with its whole path",
                    path.string(), error.message()));
  return absolute;
}

// Absolute paths name the same files in the rxe machine, and when the run is resumed.
void make_absolute(RunOptions& options) {
  for (std::string* path : {&options.librpma, &options.rdma_core, &options.kernel})
    *path = absolute_path(*path);
  for (std::filesystem::path* path : {&options.baseline, &options.waivers, &options.machine})
    *path = absolute_path(*path);
}

// The loader would block on a pipe, and a sanitizer's runtime would end the process: it must be loaded first.
void need_librpma(const std::string& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (!std::filesystem::exists(status))
    throw SetupError(fmt::format("there is no file {}; name a librpma with --librpma FILE", file));
  if (!std::filesystem::is_regular_file(status))
    throw SetupError(fmt::format("{} is not a regular file; name a librpma with --librpma FILE", file));
  for (const std::string& needed : ElfFile(file).needed())
    for (const std::string_view runtime : {"libasan.", "libtsan.", "libmsan.", "liblsan.", "libclang_rt."})
      if (needed.starts_with(runtime))
        throw SetupError(fmt::format(
            "{} was built with a sanitizer ({}), which cannot work beside the shim; name an ordinary "
            "build with --librpma FILE",
            file, needed));
}

// An option without an effect would give a verdict about something else than was asked for.
void refuse_idle_options(const RunOptions& options) {
  const bool in_a_machine = options.provider == "rxe" && (options.device.empty() || options.in_machine);
  if (in_a_machine && !options.kernel.empty() && !options.machine.empty())
    throw SetupError("--kernel cannot be combined with --machine, which is already running");
  if (!in_a_machine && (!options.kernel.empty() || !options.machine.empty()))
    throw SetupError("--kernel and --machine need --provider rxe without --device");
}

// Checks and completes the options. True where an rxe machine is needed.
bool prepare(RunOptions& options) {
  refuse_idle_options(options);
  make_absolute(options);
  if (!options.librpma.empty()) need_librpma(options.librpma);
  if (options.in_machine) options.allow_disruptive = true;  // the machine is ours
  if (options.provider == "hw" && options.device.empty())
    throw SetupError("--provider hw needs --device NAME; 'rpma-conformance doctor' lists the devices");
  return options.provider == "rxe" && options.device.empty();
}

void add_run(CommandLine& line) {
  struct Options {
    RunOptions run;
    std::filesystem::path resumed;
    const CLI::App* command = nullptr;
  };
  const auto all = std::make_shared<Options>();
  RunOptions& options = all->run;
  CLI::App& app = line.add("run", "Run the suite and give a verdict.", [all, &line] {
    if (!all->resumed.empty()) read_resumed(*all->command, all->run, all->resumed);
    if (prepare(all->run)) return run_in_machine(all->run);
    return in_worker(all->run, line.argv, [all] { return run_here(all->run); });
  });
  all->command = &app;
  add_surroundings(line, app, options);
  add_subject(line, app, options);
  line.offer(*app.add_option("--filter", options.filter,
                             "Tests to run: patterns separated by ':', after '-' those to leave out.")
                  ->check(CLI::Validator(filter_error, "PATTERNS"))
                  ->capture_default_str(),
             test_names);
  add_jobs(app, options, "Experiments at a time (default: one per processor).");
  app.add_option("--seed", options.seed, "Seed for what is chosen at random.")
      ->check(CLI::Validator(seed_error, "NUMBER"))
      ->capture_default_str();
  app.add_option("--shard", options.shard, "Run part I of N of the tests; such a run is not certifiable.")
      ->check(CLI::Validator(shard_error, "I/N"));
  app.add_flag("--complete", options.complete, "Try every pair of faults, not only a random choice.");
  add_report(app, options, "Report folder.");
  line.offer(
      *app.add_option("--profile", options.profile, "Profile to measure against: NAME or NAME/VERSION.")
           ->capture_default_str(),
      profile_names);
  app.add_option("--waivers", options.waivers, "File of findings that are accepted until a given day.")
      ->type_name("FILE");
  app.add_option("--baseline", options.baseline,
                 "File of known findings; exit code 0 if the run shows exactly these.")
      ->type_name("FILE");
  app.add_option("--resume", all->resumed, "Continue the interrupted run in this report folder.")
      ->type_name("DIR");
  app.add_flag("--continue", options.resume)->group("");  // hidden: run_in_machine.cpp
}

void add_replay(CommandLine& line) {
  struct Options {
    RunOptions run;
    ReplayOptions replay;
  };
  const auto all = std::make_shared<Options>();
  CLI::App& app = line.add("replay", "Run one point again and show it call by call.", [all, &line] {
    if (!all->replay.under.empty() && wants_json())
      throw SetupError("--under cannot be combined with --format json: a debugger prints text");
    if (prepare(all->run)) return replay_in_machine(all->run, all->replay);
    if (!all->replay.under.empty()) return replay_under(all->run, all->replay);
    if (all->replay.in_process) {
      preload_here(all->run, line.argv);
      return replay_here(all->run, all->replay);
    }
    return in_worker(all->run, line.argv, [all] { return replay_here(all->run, all->replay); });
  });
  ReplayOptions& what = all->replay;
  add_surroundings(line, app, all->run);
  add_subject(line, app, all->run);
  line.offer(*app.add_option("POINT", what.point, "Point id, as a report shows it.")->required(),
             point_names);
  app.add_flag("--all", what.all, "Show every call, also allocations of modules below librpma.");
  app.add_flag("--system-calls", what.system_calls, "Show system calls too.");
  line.offer(
      *app.add_option("--under", what.under, "Run under gdb, valgrind or another command; gives no verdict."),
      [] {
        return std::vector<std::string>{"gdb", "valgrind"};
      });
  app.add_flag("--in-process", what.in_process)->group("");  // hidden: replay_in_machine.cpp
}

// Hidden: worker.cpp.
void add_load(CommandLine& line) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& app = line.add("load", "Load the stack under test.", [options, &line] {
    return in_worker(*options, line.argv, [&options] {
      load_library(*options);
      return static_cast<int>(kConforms);
    });
  });
  add_surroundings(line, *app.group(""), *options);
  add_subject(line, app, *options);
}

void add_self_check(CommandLine& line) {
  struct Options {
    RunOptions run;
    SelfCheckOptions check;
  };
  const auto all = std::make_shared<Options>();
  CLI::App& app = line.add(
      "self-check", "Test the suite: the reference listener must pass, each known defect must not.", [all] {
        RunOptions options = all->run;
        if (!options.librpma.empty())
          throw SetupError("self-check brings its own librpma: leave --librpma out");
        options.librpma = all->check.listener;
        return prepare(options) ? self_check_in_machine(options, all->check)
                                : self_check_here(options, all->check);
      });
  SelfCheckOptions& what = all->check;
  add_surroundings(line, app, all->run);
  add_jobs(app, all->run, "Trials at a time (default: one per processor).");
  add_report(app, all->run, "Report folder for self-check.json.");
  app.add_flag_callback(
      "--defects-only", [&what] { what.reference = false; }, "Leave the reference listener out.");
  line.offer(*app.add_option("--defect", what.defect, "Try only this defect."), defect_names);
  app.add_option("--listener", what.listener)->group("");  // hidden: for tests
  app.add_flag("--complete", what.complete,
               "Run all tests against each defect, not only those that must notice it.");
  app.add_flag("--kernel-only", what.kernel_only, "Try only the defects that the mock cannot show.");
}

void add_false_alarms(CommandLine& line) {
  struct Options {
    RunOptions run;
    FalseAlarmOptions alarms;
  };
  const auto all = std::make_shared<Options>();
  CLI::App& app = line.add("false-alarms", "Count runs that report findings in a correct listener.", [all] {
    return prepare(all->run) ? false_alarms_in_machine(all->run, all->alarms)
                             : false_alarms_here(all->run, all->alarms);
  });
  add_surroundings(line, app, all->run);
  app.add_option("--runs", all->alarms.runs, "Number of runs, each with another seed, jobs and shards.")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  app.add_option("--first", all->alarms.first, "Number of the first run.")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  add_jobs(app, all->run, "Runs at a time on the mock (default: one per processor).");
  add_report(app, all->run, "Report folder for false-alarms.json and the reports of false alarms.");
}

}  // namespace

void add_commands_that_test(CommandLine& line) {
  add_run(line);
  add_replay(line);
  add_load(line);
  add_self_check(line);
  add_false_alarms(line);
}

}  // namespace conformance
