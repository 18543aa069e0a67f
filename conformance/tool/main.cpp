// SPDX-License-Identifier: BSD-3-Clause
//
// rpma-conformance: the command line.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <exception>
#include <filesystem>

#include "conformance/harness/library.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/commands.h"
#include "conformance/version.h"

namespace conformance {
namespace {

void add_run(CLI::App& app, RunOptions& options) {
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
  app.add_option("--filter", options.filter,
                 "tests to run: globs separated by ':', those to leave out after '-'")
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "experiments at a time")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  app.add_option("--timeout", options.timeout, "seconds for one experiment, at least 10")
      ->check(CLI::Range(10, 3600))
      ->capture_default_str();
  app.add_option("--report", options.report, "folder for report.json, junit.xml and results.jsonl")
      ->capture_default_str();
  app.add_option("--baseline", options.baseline, "known findings: exit 0 where the run shows exactly these");
  app.add_option("--kernel", options.kernel, "kernel package (.deb) for the rxe machine");
  app.add_option("--machine", options.machine, "state folder of an rxe machine that runs already");
  app.add_flag("--in-machine", options.in_machine)->group("");  // hidden: run_in_machine.cpp
}

// Every path is made absolute here: what is named is what is judged, in the machine as on this host.
void make_absolute(RunOptions& options) {
  for (std::string* path : {&options.librpma, &options.rdma_core, &options.kernel})
    if (!path->empty()) *path = std::filesystem::absolute(*path);
  if (!options.librpma.empty() && !std::filesystem::exists(options.librpma))
    throw SetupError(fmt::format("there is no file {}; name a librpma with --librpma FILE", options.librpma));
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

int run(RunOptions options, char** argv) {
  refuse_idle_options(options);
  make_absolute(options);
  if (options.provider == "rxe" && options.device.empty()) return run_in_machine(options);
  if (options.provider == "hw" && options.device.empty())
    throw SetupError(
        "--provider hw needs --device NAME: this host's devices are used only when named; "
        "'rpma-conformance doctor' lists them");
  with_preload(options, argv);
  return run_here(options);
}

int main_or_throw(int argc, char** argv) {
  CLI::App app{
      "Fault injection and conformance for RDMA listeners: does rpma_ep_listen(3) keep its promises when "
      "something underneath fails?"};
  app.set_version_flag("--version", fmt::format("rpma-conformance {} ({})", kVersion, kCommit));
  app.require_subcommand(1);
  app.footer("Exit codes: 0 conforms, 1 a finding, 2 usage or set-up, 3 incomplete.");

  RunOptions run_options;
  CLI::App* run_command = app.add_subcommand("run", "run the suite and give a verdict");
  add_run(*run_command, run_options);
  ListOptions list_options;
  CLI::App* list_command = app.add_subcommand("list", "list the tests; needs no device");
  list_command->add_flag("--json", list_options.json, "for machines");
  list_command->add_flag("--check", list_options.check, "only check that each clause has a test");
  list_command->add_option("--provider", list_options.provider, "only those of mock, rxe or hw")
      ->check(CLI::IsMember({"mock", "rxe", "hw"}));
  std::string doctor_provider = "rxe";
  CLI::App* doctor_command =
      app.add_subcommand("doctor", "what this host can run, what is missing, how to mend it");
  doctor_command->add_option("--provider", doctor_provider, "that must work for exit code 0: mock, rxe or hw")
      ->check(CLI::IsMember({"mock", "rxe", "hw"}))
      ->capture_default_str();

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    fmt::print(stderr, "rpma-conformance: {}; see rpma-conformance --help\n", error.what());
    return kUsage;
  }
  if (*run_command) return run(run_options, argv);
  if (*list_command) return list(list_options);
  return doctor(doctor_provider);
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  try {
    return conformance::main_or_throw(argc, argv);
  } catch (const conformance::SetupError& error) {
    fmt::print(stderr, "rpma-conformance: {}\n", error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "rpma-conformance: unexpected: {}; please report it with the command that you gave\n",
               error.what());
  }
  return conformance::kUsage;
}
