// SPDX-License-Identifier: BSD-3-Clause
//
// `self-check`: the proof that the suite notices. The reference listener must pass, and each defect of the
// table (fixtures/listeners/defects.inc) must break the clauses that the table names, and no other.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "conformance/harness/library.h"
#include "conformance/report/report.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/machine.h"
#include "conformance/tool/process.h"
#include "conformance/tool/temporary_folder.h"
#include "conformance/version.h"
#include "fixtures/listeners/defects.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;
using listener::Defect;

constexpr const char* kSelfCheck = "self-check.json";

// One run of the suite against one listener.
struct Trial {
  const Defect* defect = nullptr;  // null: the reference
  fs::path report;
  pid_t pid = -1;
};

struct Judgement {
  bool noticed = false;             // the reference: passed
  std::string why;                  // it was not
  std::vector<std::string> broken;  // clauses found broken by the IUT
};

unsigned bit_of(const std::string& provider) {
  if (provider == "mock") return listener::kOnMock;
  return provider == "rxe" ? listener::kOnRxe : listener::kOnHw;
}

std::set<std::string> words(std::string_view text) {
  std::istringstream stream{std::string(text)};
  return {std::istream_iterator<std::string>(stream), {}};
}

std::vector<std::string> command_of(const RunOptions& options, const Trial& trial) {
  const Parts parts = find_parts();
  const bool is_reference = trial.defect == nullptr;
  RunOptions inner = options;
  inner.librpma = is_reference ? parts.reference : parts.defects;
  inner.subject = "iut";
  std::vector<std::string> command = {
      "env", fmt::format("RPMACONF_DEFECT={}", is_reference ? "" : trial.defect->name), parts.program, "run"};
  const std::vector<std::string> surroundings = surroundings_of(inner);
  command.insert(command.end(), surroundings.begin(), surroundings.end());
  command.insert(command.end(),
                 {"--filter", std::string(is_reference ? "*" : trial.defect->filter), "--jobs",
                  std::to_string(is_reference ? jobs_of(options) : 1), "--report", trial.report});
  return command;
}

RunResult read_report(const fs::path& folder) {
  std::ifstream file(folder / "report.json");
  return from_json(nlohmann::ordered_json::parse(file));
}

Judgement judge_reference(const Trial& trial, int status) {
  if (status == kConforms) return {true, "", {}};
  Judgement judgement{false, fmt::format("the run ended with {}", status), {}};
  if (status != kFinding) return judgement;
  for (const Finding& finding : findings_of(read_report(trial.report)))
    if (finding.module == "iut") judgement.broken.push_back(finding.clause);
  judgement.why = fmt::format("accused of {}", fmt::join(judgement.broken, ", "));
  return judgement;
}

Judgement judge_defect(const Trial& trial, int status) {
  const Defect& defect = *trial.defect;
  if (status == kConforms) return {false, fmt::format("all of {} passed", defect.filter), {}};
  if (status != kFinding) return {false, fmt::format("no verdict: the run ended with {}", status), {}};
  std::set<std::string> broken;
  for (const Finding& finding : findings_of(read_report(trial.report)))
    if (finding.module == "iut") broken.insert(finding.clause);
  Judgement judgement{true, "", {broken.begin(), broken.end()}};
  std::set<std::string> expected = words(defect.clauses);
  for (const std::string& clause : expected)
    if (!broken.contains(clause))
      judgement.why += fmt::format("{}{} was not", judgement.why.empty() ? "" : "; ", clause);
  expected.merge(words(defect.also));
  for (const std::string& clause : broken)
    if (!expected.contains(clause))
      judgement.why += fmt::format("{}{} was, unexpectedly", judgement.why.empty() ? "" : "; ", clause);
  judgement.noticed = judgement.why.empty();
  if (!judgement.noticed) judgement.why = "broken: " + judgement.why;
  return judgement;
}

class SelfCheck {
 public:
  SelfCheck(RunOptions options, SelfCheckOptions what)
      : options_(std::move(options)), what_(std::move(what)) {
    for (const fs::path& part : {find_parts().reference, find_parts().defects})
      if (!fs::exists(part))
        throw SetupError(
            fmt::format("{} is missing; build the whole project, or install it again", part.string()));
    fs::create_directories(options_.report);
  }
  int run() {
    const auto begin = std::chrono::steady_clock::now();
    if (what_.reference) run_reference();
    run_defects();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return conclude(seconds);
  }

 private:
  void run_reference() {
    Trial trial{nullptr, folder_.path() / "reference"};
    start(trial);
    const int status = wait_for_program(trial.pid);
    reference_ = judge_reference(trial, status);
    if (status > kFinding) broken_ = true;
    fmt::print("reference: {}\n", reference_.noticed ? "passes the whole suite" : reference_.why);
    std::fflush(stdout);
  }

  void run_defects() {
    const unsigned bit = bit_of(options_.provider);
    std::deque<Trial> waiting;
    for (const Defect& defect : listener::defects())
      if ((defect.providers & bit) != 0 && (what_.defect.empty() || what_.defect == defect.name) &&
          !(what_.kernel_only && (defect.providers & listener::kOnMock) != 0))
        waiting.push_back({&defect, folder_.path() / std::string(defect.name)});
    if (waiting.empty())
      throw SetupError(fmt::format("no defect '{}' shows on {}; see fixtures/listeners/defects.inc",
                                   what_.defect, options_.provider));
    std::vector<Trial> running;
    while (!waiting.empty() || !running.empty()) {
      while (!waiting.empty() && running.size() < jobs_of(options_)) {
        running.push_back(std::move(waiting.front()));
        waiting.pop_front();
        start(running.back());
      }
      Trial first = std::move(running.front());
      running.erase(running.begin());
      note(first, wait_for_program(first.pid));
    }
  }

  void start(Trial& trial) const {
    trial.pid = start_program(command_of(options_, trial), folder_.path() / "log");
    if (trial.pid < 0) throw SetupError("no process for a trial; ask for fewer --jobs");
  }

  void note(const Trial& trial, int status) {
    const Judgement judgement = judge_defect(trial, status);
    const Defect& defect = *trial.defect;
    auto& [noticed, all] = by_kind_[std::string(name_of(defect.kind))];
    ++all;
    noticed += static_cast<size_t>(judgement.noticed);
    if (!judgement.noticed)
      survivors_.push_back(fmt::format("{}: {} ({})", defect.name, judgement.why, defect.what));
    rows_.push_back({{"name", defect.name},
                     {"kind", name_of(defect.kind)},
                     {"what", defect.what},
                     {"noticed", judgement.noticed},
                     {"why", judgement.why},
                     {"broken", judgement.broken}});
    fmt::print("{:<10} {:<42} {}\n", judgement.noticed ? "noticed" : "SURVIVES", defect.name,
               judgement.noticed ? fmt::format("{}", fmt::join(judgement.broken, " ")) : judgement.why);
    std::fflush(stdout);
  }

  int conclude(double seconds) {
    fmt::print("\nkind            noticed\n");
    size_t noticed = 0;
    size_t all = 0;
    for (const auto& [kind, counts] : by_kind_) {
      fmt::print("{:<15} {:>3} of {}\n", kind, counts.first, counts.second);
      noticed += counts.first;
      all += counts.second;
    }
    for (const std::string& survivor : survivors_) fmt::print("survives: {}\n", survivor);
    fmt::print("{} of {} defects noticed on {}, {:.1f} s\n", noticed, all, options_.provider, seconds);
    const bool good = noticed == all && (!what_.reference || reference_.noticed);
    const int code = broken_ ? kUsage : good ? kConforms : kFinding;
    nlohmann::ordered_json document = {{"schema", "rpma-conformance-self-check/1"},
                                       {"suite", {{"version", kVersion}, {"commit", kCommit}}},
                                       {"provider", options_.provider},
                                       {"seconds", seconds},
                                       {"score", {{"noticed", noticed}, {"of", all}}},
                                       {"defects", rows_},
                                       {"exit_code", code}};
    if (what_.reference) document["reference"] = {{"passed", reference_.noticed}, {"why", reference_.why}};
    std::ofstream(options_.report / kSelfCheck) << document.dump(2) << '\n';
    if (!options_.in_machine) fmt::print("self-check: {}\n", (options_.report / kSelfCheck).string());
    fmt::print("exit code {}\n", code);
    return code;
  }

  RunOptions options_;
  SelfCheckOptions what_;
  TemporaryFolder folder_;
  Judgement reference_;
  bool broken_ = false;
  std::map<std::string, std::pair<size_t, size_t>> by_kind_;  // noticed, of all
  std::vector<std::string> survivors_;
  nlohmann::ordered_json rows_ = nlohmann::ordered_json::array();
};

}  // namespace

int self_check_here(const RunOptions& options, const SelfCheckOptions& what) {
  return SelfCheck(options, what).run();
}

int self_check_in_machine(const RunOptions& options, const SelfCheckOptions& what) {
  fs::create_directories(options.report);
  const Machine machine(options);
  const fs::path inner_report = machine.share() / fmt::format("self-check-{}", getpid());
  std::vector<std::string> command = command_in_machine("self-check", options, machine);
  command.insert(command.end(), {"--report", inner_report});
  if (options.jobs > 0) command.insert(command.end(), {"--jobs", std::to_string(options.jobs)});
  if (!what.reference) command.emplace_back("--defects-only");
  if (what.kernel_only) command.emplace_back("--kernel-only");
  if (!what.defect.empty()) command.insert(command.end(), {"--defect", what.defect});
  const int status = machine.exec(command);
  std::error_code error;
  fs::copy_file(inner_report / kSelfCheck, options.report / kSelfCheck, fs::copy_options::overwrite_existing,
                error);
  fs::remove_all(inner_report, error);
  if (status == kMachineLost)
    throw SetupError("the machine was lost during the self-check; its console says why");
  return status;
}

}  // namespace conformance
