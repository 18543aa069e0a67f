// SPDX-License-Identifier: BSD-3-Clause
//
// The origin of a report: the options of the run (run.json), its header (the first line of results.jsonl),
// its parts and its stack, compared with report.json.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

#include "conformance/bundle/consistency.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Modules that this program loads itself, once, before the run begins.
constexpr std::array<std::string_view, 3> kLoadedFirst = {"iut", "rdmacm", "ibverbs"};
constexpr std::array<std::string_view, 4> kNoModules = {"started", "suite", "provider", "profile"};

template <typename Names>
bool is_among(const Names& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// A run that was interrupted may not know its stack.
bool knows_its_stack(const RunResult& run) {
  return came_to_its_end(run) || !run.stack.modules.empty();
}

template <typename Predicate>
bool has_module(const RunResult& run, const Predicate& predicate) {
  return std::ranges::any_of(run.stack.modules, predicate);
}

bool has_role(const RunResult& run, std::string_view role) {
  if (role == "kernel") return !run.stack.kernel.empty();
  return has_module(run, [role](const StackModule& module) { return module.role == role; });
}

std::vector<std::string> roles_in(const std::string& subject) {
  std::vector<std::string> roles(1);
  for (const char letter : subject)
    if (letter == ',')
      roles.emplace_back();
    else
      roles.back() += letter;
  return roles;
}

void check_subject(const RunResult& run, std::vector<std::string>& wrong) {
  std::vector<std::string> roles;
  if (run.subject != "stack") roles = roles_in(run.subject);
  for (size_t i = 0; i < roles.size(); ++i) {
    if (!is_among(kAccusable, roles[i]))
      wrong.push_back(fmt::format("subject {} is not a module", shown(roles[i])));
    else if (std::ranges::count(roles, roles[i]) > 1)
      wrong.push_back(fmt::format("subject {} is there twice", roles[i]));
    else if (came_to_its_end(run) && roles[i] != "iut" && !has_role(run, roles[i]))
      wrong.push_back(fmt::format("subject {} is not in the stack", roles[i]));
  }
  // A module below is judged through the iut, which calls it.
  if (came_to_its_end(run) && !has_role(run, "iut")) wrong.emplace_back("module iut is missing");
}

void check_modules(const RunResult& run, const Json& header, std::vector<std::string>& wrong) {
  for (const StackModule& module : run.stack.modules)
    if (header.contains(module.path) && header.at(module.path) != module.sha256)
      wrong.push_back(fmt::format("module {} has another hash than in the run's header", module.path));
    else if (!header.contains(module.path) && is_among(kLoadedFirst, module.role))
      wrong.push_back(fmt::format("module {} is not in the run's header", module.path));
  for (const auto& [path, digest] : header.items())
    if (!is_among(kNoModules, path) &&
        !has_module(run, [&path = path](const StackModule& module) { return module.path == path; }))
      wrong.push_back(fmt::format("module {} of the run's header is missing", path));
}

// Each I of I/N, in order.
void check_parts(const RunResult& run, std::vector<std::string>& wrong) {
  std::string first = run.started;
  for (size_t i = 0; i < run.parts.size(); ++i) {
    const std::string wanted = fmt::format("{}/{}", i + 1, run.parts.size());
    if (run.parts[i].shard != wanted)
      wrong.push_back(fmt::format("part {} is called {}", wanted, shown(run.parts[i].shard)));
    first = i == 0 ? run.parts[i].started : std::min(first, run.parts[i].started);
  }
  if (first != run.started)
    wrong.push_back(fmt::format("report.json started at {}, its first part at {}", run.started, first));
  if (!run.parts.empty() && !run.shard.empty())
    wrong.push_back(fmt::format("a merged report is called shard {}", run.shard));
}

void check_header(const RunResult& run, const Json& header, std::vector<std::string>& wrong) {
  if (header.at("suite") != run.suite_commit || header.at("provider") != run.provider ||
      header.at("profile") != run.profile.sha256)
    wrong.emplace_back("suite, provider or profile differ between the run's header and report.json");
  const Json& started = header.at("started");
  const bool is_known =
      run.parts.empty()
          ? started == run.started
          : std::ranges::any_of(run.parts, [&started](const Part& part) { return started == part.started; });
  if (!is_known)
    wrong.push_back(
        fmt::format("started at {} in the run's header, at {} in report.json", shown(started), run.started));
}

// The roles that --judge names, by role or by file. Any other name is the IUT's SONAME.
std::string roles_judged(const std::string& judge, const RunResult& run) {
  if (judge == run.subject || judge == "stack") return judge;
  std::vector<std::string> roles;
  std::istringstream names(judge);
  for (std::string name; std::getline(names, name, ',');) {
    std::string role = is_among(kAccusable, name) ? name : "iut";
    for (const StackModule& module : run.stack.modules)
      if (name == module.path || name == fs::path(module.path).filename()) role = module.role;
    if (!is_among(roles, role)) roles.push_back(role);
  }
  return fmt::format("{}", fmt::join(roles, ","));
}

// Compares the options of a run with the report.
class Options {
 public:
  Options(const Content& content, std::vector<std::string>& wrong)
      : run_(content.run),
        options_(content.run_record->at("options")),
        has_waivers_(content.waivers.has_value()),
        wrong_(wrong) {}

  void check() {
    need("provider", at("provider") == run_.provider, run_.provider);
    need("filter", at("filter") == run_.filter, run_.filter);
    need("shard", at("shard") == run_.shard, run_.shard);
    need("seed", at("seed") == run_.seed, run_.seed);
    need("complete", at("complete") == run_.chose_all, run_.chose_all);
    need("judge", roles_judged(at("judge"), run_) == run_.subject, run_.subject);
    const std::string profile = run_.profile.id();
    need("profile", !is_told("profile") || at("profile") == run_.profile.name || at("profile") == profile,
         profile);
    if (has_waivers_ ? !is_told("waivers") : is_told("waivers") && came_to_its_end(run_))
      wrong_.push_back(fmt::format("option waivers is {}, waivers.json is {}", shown(at("waivers")),
                                   has_waivers_ ? "there" : "missing"));
    if (came_to_its_end(run_))
      need("timeout", !is_told("timeout") || at("timeout") == run_.timeout_seconds, run_.timeout_seconds);
    if (knows_its_stack(run_)) check_stack();
  }

 private:
  void check_stack() {
    need("addr", !is_told("addr") || at("addr") == run_.stack.address, run_.stack.address);
    // The mock has no description.
    const std::string device = run_.stack.device.substr(0, run_.stack.device.find(','));
    if (!device.empty()) need("device", !is_told("device") || at("device") == device, device);
    for (const StackModule& module : run_.stack.modules) {
      if (module.role == "iut" && is_told("librpma"))
        need("librpma", at("librpma") == module.path, module.path);
      // On the mock the real librdmacm is idle.
      if (module.role == "rdmacm" && is_told("rdma_core") && run_.provider != "mock")
        need("rdma_core", fs::path(text("rdma_core")) / fs::path(module.path).filename() == module.path,
             fs::path(module.path).parent_path().string());
    }
  }

  [[nodiscard]] const Json& at(const char* option) const {
    static const Json kNothing;
    return options_.contains(option) ? options_.at(option) : kNothing;
  }
  [[nodiscard]] std::string text(const char* option) const { return at(option).get<std::string>(); }
  [[nodiscard]] bool is_told(const char* option) const {
    const Json& value = at(option);
    return value.is_string() ? !value.get_ref<const std::string&>().empty() : !value.is_null() && value != 0;
  }
  void need(const char* option, bool holds, const Json& said) {
    if (!holds)
      wrong_.push_back(
          fmt::format("option {} is {}, in report.json {}", option, shown(at(option)), shown(said)));
  }

  const RunResult& run_;
  const Json& options_;
  bool has_waivers_;
  std::vector<std::string>& wrong_;
};

}  // namespace

Check check_start(const Content& content) {
  Check check{"start"};
  const RunResult& run = content.run;
  check_parts(run, check.wrong);
  // None where the machine was lost before the run began.
  if (content.headers.size() != 1 && !(content.headers.empty() && run.started.empty()))
    check.wrong.push_back(fmt::format("results.jsonl has {} headers", content.headers.size()));
  for (const Json& header : content.headers) check_header(run, header, check.wrong);
  // Resumed shards of a merged run are recorded in their own journals.
  if (run.parts.empty() && content.resumed != run.resumed)
    check.wrong.push_back(fmt::format("resumed {} times by results.jsonl, {} times by report.json",
                                      content.resumed, run.resumed));
  if (run.provider != "mock" && !content.kernel_lines)
    check.wrong.push_back(fmt::format("kernel.jsonl of a run on {} is missing", run.provider));
  return check;
}

Check check_stack(const Content& content) {
  Check check{"stack"};
  const RunResult& run = content.run;
  check_subject(run, check.wrong);
  for (const std::string_view role : kLoadedFirst)
    // On the mock there are two: the mock and the real one.
    if (run.provider != "mock" && std::ranges::count(run.stack.modules, role, &StackModule::role) > 1)
      check.wrong.push_back(fmt::format("more than one module {}", role));
  for (const Json& header : content.headers)
    if (knows_its_stack(run)) check_modules(run, header, check.wrong);
  return check;
}

Check check_run_record(const Content& content) {
  Check check{"run.json"};
  if (!content.run_record) {
    if (content.run.parts.empty()) check.wrong.emplace_back("missing; only merged runs have none");
    return check;
  }
  Options(content, check.wrong).check();
  const Json& commit = content.run_record->at("suite").at("commit");
  if (commit != content.run.suite_commit)
    check.wrong.push_back(
        fmt::format("of suite {}, report.json of {}", shown(commit), content.run.suite_commit));
  return check;
}

}  // namespace conformance
