// SPDX-License-Identifier: BSD-3-Clause
//
// `replay POINT`: runs one point again with its control, and shows it call by call.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "conformance/catalogue/clauses.h"
#include "conformance/harness/child.h"
#include "conformance/harness/codes.h"
#include "conformance/harness/expectations.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/harness/point.h"
#include "conformance/harness/pool.h"
#include "conformance/report/document.h"
#include "conformance/report/result.h"
#include "conformance/report/timeline.h"
#include "conformance/suite/suite.h"
#include "conformance/tool/command_line.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"
#include "conformance/tool/suggest.h"
#include "conformance/tool/target.h"
#include "conformance/tool/worker.h"

namespace conformance {
namespace {

constexpr size_t kMostOfAnError = 1500;  // characters of a message

void print_outcomes(const std::vector<ClauseOutcome>& outcomes) {
  fmt::print("\nverdict\n");
  for (const ClauseOutcome& outcome : outcomes) {
    const Clause* clause = find_clause(outcome.clause);
    fmt::print("{}",
               painted(fmt::format("  {:<19} {:<11} {}\n", outcome.clause, name_of(outcome.outcome.verdict()),
                                   clause != nullptr ? clause->promise : "")));
    if (!outcome.outcome.passed())
      fmt::print("{:33}{}{}\n", "", outcome.outcome.reason(),
                 is_finding(outcome.outcome.verdict()) ? fmt::format(" [by {}]", outcome.module) : "");
  }
}

// The outcomes as a run of this one point, so that subject and exit code follow the same rules.
RunResult as_run(const std::vector<ClauseOutcome>& outcomes, const std::string& point,
                 const std::string& subject) {
  TestResult test;
  test.id = point;
  test.points = 1;
  for (const ClauseOutcome& outcome : outcomes)
    test.clauses.push_back({std::string(outcome.clause),
                            outcome.outcome.verdict(),
                            outcome.outcome.reason(),
                            outcome.module,
                            outcome.outcome.reason(),
                            {},
                            {point}});
  RunResult run;
  run.subject = subject;
  run.tests.push_back(test);
  run.selected = run.in_profile = 1;
  return run;
}

nlohmann::ordered_json as_document(const RunResult& run, const std::string& calls,
                                   const std::vector<std::string>& stack) {
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  std::istringstream text(calls);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  const TestResult& test = run.tests.front();
  nlohmann::ordered_json clauses = nlohmann::ordered_json::array();
  for (const ClauseResult& clause : test.clauses)
    clauses.push_back({{"clause", clause.clause},
                       {"verdict", name_of(clause.verdict)},
                       {"reason", clause.reason},
                       {"module", clause.module}});
  return {{"schema", "rpma-conformance-replay/1"},
          {"point", test.id},
          {"timeline", lines},
          {"stack", stack},
          {"clauses", clauses},
          {"judged", run.subject},
          {"exit_code", exit_code_of(run)}};
}

// No fork, no guard, no handlers, no verdict: the debugger controls the process.
int replay_in_this_process(const Library& library, const Target& target, const Experiment& experiment) {
  const std::unique_ptr<Evidence> evidence = run_in_this_process(library, target, experiment);
  const Observation& seen = evidence->observation;
  if (seen.broken[0] != '\0') throw SetupError(fmt::format("the set-up failed: {}", seen.broken.data()));
  fmt::print("{}", timeline(library, *evidence, Symbols(library), {}));
  fmt::print("no verdict: under a debugger *ep_ptr is not write-protected; run replay without --under\n");
  return kConforms;
}

}  // namespace

Experiment read_point(const std::string& point) {
  try {
    return experiment_at(point);
  } catch (const std::invalid_argument& error) {
    const std::string similar = did_you_mean(point, point_names());
    throw SetupError(fmt::format("{}{}", as_one_line(error.what(), kMostOfAnError),
                                 similar.empty() ? "; quote points for the shell" : similar));
  }
}

std::optional<Expectation> expectation_in_suite(const std::string& point) {
  for (const Test& test : all_tests())
    for (const Case& one : test.cases)
      if (one.experiment.point() == point) return one.expectation;
  return std::nullopt;
}

int replay_here(const RunOptions& options, const ReplayOptions& what) {
  Experiment experiment = read_point(what.point);
  const Target target = choose_target(options);
  Library library = load_library(options);
  if (what.system_calls) experiment.watch_system_calls = true;
  if (what.in_process) return replay_in_this_process(library, target, experiment);

  Pool pool(library, target, {1, std::chrono::seconds(options.timeout)});
  std::unique_ptr<Evidence> ordinary =
      pool.await(pool.announce({listen_operation(), experiment.start, experiment.sentinel}));
  learn_driver(library, ordinary->modules);
  const std::unique_ptr<Evidence> control =
      experiment.is_disturbed() ? pool.await(pool.announce(experiment.control())) : nullptr;
  const std::optional<Expectation> in_suite = expectation_in_suite(what.point);
  experiment.must_succeed = experiment.rules.empty() && in_suite && in_suite->promise == Promise::Success;
  const std::unique_ptr<Evidence> evidence = pool.await(pool.announce(experiment));

  const Symbols symbols(library);
  const std::string calls = timeline(library, *evidence, symbols, {what.all});
  const std::vector<std::string> stack = symbols.stack_of(evidence->observation);

  const bool by_fault = !in_suite && !experiment.rules.empty() && experiment.threads == 1;
  const Expectation expectation = in_suite   ? *in_suite
                                  : by_fault ? ruled_by_first_fault(library, *evidence)
                                             : ruled_beforehand(experiment);
  const std::vector<ClauseOutcome> outcomes =
      judge(library, experiment, expectation, *evidence, control.get());
  const RunResult run = as_run(outcomes, what.point, roles_of_subject(library, options.subject));
  if (wants_json()) {
    print_document(as_document(run, calls, stack));
    return exit_code_of(run);
  }
  fmt::print("point {}\n\n", what.point);
  if (!is_quiet()) fmt::print("{}", calls);
  if (!stack.empty()) fmt::print("\nstack at its end\n");
  for (const std::string& frame : stack) fmt::print("  {}\n", frame);
  print_outcomes(outcomes);
  fmt::print("judged: {}, exit code {}\n", run.subject, exit_code_of(run));
  return exit_code_of(run);
}

}  // namespace conformance
