// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/merge.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "conformance/report/report.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

// What must be the same in all shards, with its name for the message. Each machine has its own address.
std::vector<std::pair<const char*, Json>> identity_of(const RunResult& run) {
  const Json document = to_json(run);
  Json stack = document.at("stack");
  stack.erase("address");
  Json waivers = document.at("waivers");
  for (Json& waiver : waivers) waiver.erase("state");
  // Of the surroundings only the firmware: ports, addresses and limits belong to each machine.
  const Json& surroundings = document.at("surroundings");
  return {{"suite", document.at("suite")},
          {"profile", document.at("profile")},
          {"provider", run.provider},
          {"stack", stack},
          {"filter", run.filter},
          {"seed", run.seed},
          {"--complete", run.chose_all},
          {"--judge", run.subject},
          {"list of waivers", waivers},
          {"firmware", surroundings.value(Json::json_pointer("/device/fw_ver"), "")}};
}

void demand_one_run(const std::vector<Recorded>& shards) {
  const auto wanted = identity_of(shards.front().run);
  for (const Recorded& shard : shards) {
    const auto found = identity_of(shard.run);
    for (size_t i = 0; i < wanted.size(); ++i)
      if (found[i].second != wanted[i].second)
        throw std::runtime_error(fmt::format("{} and {} are not parts of one run: {} differs",
                                             shards.front().folder.string(), shard.folder.string(),
                                             wanted[i].first));
  }
}

// Throws where the run is not a shard.
Shard shard_of(const Recorded& shard) {
  const std::optional<Shard> named = shard_named(shard.run.shard);
  if (!named || fmt::format("{}/{}", named->index, named->number) != shard.run.shard)
    throw std::runtime_error(
        fmt::format("{} is not a shard; make shards with run --shard I/N", shard.folder.string()));
  return *named;
}

// Each I of I/N once.
void demand_every_shard(const std::vector<Recorded>& shards) {
  std::map<std::string, std::string> seen;  // shard to folder
  unsigned number = 0;
  for (const Recorded& shard : shards) {
    const std::string& name = shard.run.shard;
    const unsigned all = shard_of(shard).number;
    if (!came_to_its_end(shard.run))
      throw std::runtime_error(
          fmt::format("{0} is not finished; continue it with 'rpma-conformance run --resume {0}'",
                      shard.folder.string()));
    if (number != 0 && all != number)
      throw std::runtime_error(
          fmt::format("{} is one of {} shards, another is one of {}", shard.folder.string(), all, number));
    number = all;
    if (const auto [entry, first] = seen.emplace(name, shard.folder.string()); !first)
      throw std::runtime_error(
          fmt::format("{} and {} are both shard {}", entry->second, shard.folder.string(), name));
  }
  constexpr size_t kMostNamed = 10;
  std::vector<std::string> missing;
  for (unsigned i = 1; i <= number && missing.size() < kMostNamed; ++i)
    if (const std::string name = fmt::format("{}/{}", i, number); !seen.contains(name))
      missing.push_back(name);
  if (!missing.empty())
    throw std::runtime_error(fmt::format("shard {} is missing", fmt::join(missing, ", ")));
}

// Each shard watches the kernel's log; the worst verdict counts.
void add_kernel(const TestResult& test, std::map<std::string, TestResult>& tests) {
  const auto [entry, first] = tests.emplace(test.id, test);
  if (first) return;
  TestResult& merged = entry->second;
  merged.seconds += test.seconds;
  merged.experiments += test.experiments;
  if (test.verdict >= merged.verdict) return;
  merged.verdict = test.verdict;
  merged.reason = test.reason;
  merged.clauses = test.clauses;
}

}  // namespace

RunResult merge(const std::vector<Recorded>& shards) {
  if (shards.empty()) throw std::runtime_error("no shards to merge");
  demand_every_shard(shards);
  demand_one_run(shards);
  RunResult merged = shards.front().run;
  merged.shard.clear();
  merged.tests.clear();
  merged.kernel_log.clear();
  merged.selected = merged.experiments = 0;
  merged.seconds = 0;
  merged.resumed = 0;
  std::map<std::string, TestResult> tests;
  Json wanted;
  for (const Recorded& shard : shards) {
    Journal journal = read_journal(shard.folder);
    Json header = journal.header ? *journal.header : Json::object();
    header.erase("started");
    if (wanted.is_null()) wanted = header;
    if (header != wanted)
      throw std::runtime_error(fmt::format("{} and {} are not parts of one run: the stack differs",
                                           shards.front().folder.string(), shard.folder.string()));
    for (const TestResult& test : journal.tests)
      if (!tests.emplace(test.id, test).second)
        throw std::runtime_error(fmt::format("{} was run by two shards", test.id));
    for (const TestResult& test : shard.run.tests)
      if (test.id == kKernelTest) add_kernel(test, tests);
    merged.parts.push_back({shard.run.shard, shard.run.started, shard.run.seconds});
    merged.started = std::min(merged.started, shard.run.started);
    merged.seconds += shard.run.seconds;
    merged.experiments += shard.run.experiments;
    merged.resumed += shard.run.resumed;
    merged.jobs = std::max(merged.jobs, shard.run.jobs);
    merged.timeout_seconds = std::max(merged.timeout_seconds, shard.run.timeout_seconds);
    merged.kernel_log.insert(merged.kernel_log.end(), shard.run.kernel_log.begin(),
                             shard.run.kernel_log.end());
  }
  std::ranges::sort(merged.parts, {}, [](const Part& part) { return std::stoul(part.shard); });
  // In the order of an undivided run.
  for (const Test& test : all_tests())
    if (const auto found = tests.find(test.id()); found != tests.end()) {
      merged.tests.push_back(std::move(found->second));
      tests.erase(found);
    }
  if (!tests.empty()) throw std::runtime_error(fmt::format("there is no test {}", tests.begin()->first));
  merged.selected = merged.tests.size();
  return merged;
}

}  // namespace conformance
