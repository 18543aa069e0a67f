// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/suite/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "conformance/harness/ledger.h"
#include "conformance/harness/listen_operation.h"

namespace conformance {
namespace {

// A call that is repeated without end would give ever more points; the time-out of the experiment reports it.
constexpr uint64_t kMostFurtherCalls = 1000;

// EINTR fails one call only: repeating a call after a signal is correct, and signals do not come without end.
constexpr std::string_view kOnceOnly = "error=EINTR";

// The sockets of the stack (netlink, datagrams) transfer whole messages: no kernel transfers a part of one.
constexpr std::string_view kWholeMessages[] = {"sendto", "sendmsg", "recvfrom", "recvmsg"};

std::string caller_of(const Library& library, const Evidence& evidence, const rdmafault_record& record) {
  const std::string role = role_of(library, evidence, record);
  if (role != "other") return "@" + role;
  return record.module < evidence.modules.size() ? evidence.modules[record.module].soname : "";
}

Experiment with_rules(const Experiment& control, const std::vector<std::string>& rules) {
  Experiment experiment = control;
  experiment.watch_system_calls = false;  // follows from the rules
  for (const std::string& rule : rules) experiment.rules.push_back(make_rule(rule));
  return experiment;
}

std::string rule_text(const Site& site, const std::string& failure, uint64_t n, bool from_there_on) {
  return fmt::format("{}:{}:when={}{}:caller={}", site.function->name, failure, n, from_there_on ? "+" : "",
                     site.caller);
}

Case ruled(Experiment experiment) {
  Case one{std::move(experiment), {}};
  one.ruled_by_first_fault = true;
  return one;
}

Case nothing_left(Experiment experiment) {
  Case one{std::move(experiment), {.promise = Promise::Success}};
  one.expectation.fires_nothing = true;
  return one;
}

class EveryPoint : public CaseSource {
 public:
  EveryPoint(Experiment control, std::vector<Site> sites)
      : control_(std::move(control)), sites_(std::move(sites)) {
    for (size_t i = 0; i < sites_.size(); ++i) runs_.push_back({i, 1, sites_[i].calls});
  }

  std::optional<Case> next() override {
    while (!runs_.empty()) {
      Run& run = runs_.front();
      const Site& site = sites_[run.site];
      const std::vector<std::string> failures = failures_of(*site.function);
      if (run.n > run.last) {
        const std::string last = rule_text(site, failures.front(), run.n, false);
        ends_[last] = {run.site, run.n};
        runs_.pop_front();
        return nothing_left(with_rules(control_, {last}));
      }
      const bool from_there_on = run.way % 2 == 1;
      const std::string& failure = failures[run.way / 2];
      const std::string rule = rule_text(site, failure, run.n, from_there_on);
      if (++run.way == failures.size() * 2) {
        run.way = 0;
        ++run.n;
      }
      if (from_there_on && failure == kOnceOnly) continue;
      return ruled(with_rules(control_, {rule}));
    }
    return std::nullopt;
  }

  // If the last rule of a site fired, there was one call more than in the control: the sweep continues.
  void seen(const Case& one, const Evidence& evidence) override {
    if (!one.expectation.fires_nothing || evidence.observation.rules[0].fired == 0) return;
    const auto [site, n] = ends_.at(one.experiment.rules.front().text);
    if (n > sites_[site].calls + kMostFurtherCalls) return;
    runs_.push_back({site, n, n});
  }

 private:
  struct Run {
    size_t site;
    uint64_t n;     // the call that comes next
    uint64_t last;  // the last one that is known
    size_t way = 0;
  };
  Experiment control_;
  std::vector<Site> sites_;
  std::deque<Run> runs_;
  std::map<std::string, std::pair<size_t, uint64_t>> ends_;  // the last rules: of which site, which call
};

class MemoryRunsOut : public CaseSource {
 public:
  MemoryRunsOut(Experiment control, uint64_t allocations)
      : control_(std::move(control)), allocations_(allocations) {}

  std::optional<Case> next() override {
    if (n_ > allocations_) return std::nullopt;
    return ruled(with_rules(control_, {fmt::format("allocation:error=ENOMEM:when={}+", n_++)}));
  }

 private:
  Experiment control_;
  uint64_t allocations_;
  uint64_t n_ = 1;
};

class Pairs : public CaseSource {
 public:
  Pairs(const Library& library, Experiment control, const std::vector<Site>& sites,
        const PairOptions& options, const Choice& choice)
      : library_(library),
        control_(std::move(control)),
        options_(options),
        all_(choice.all),
        random_(choice.seed) {
    for (const Site& site : sites)
      for (uint64_t n = 1; n <= site.calls; ++n)
        for (const std::string& failure : failures_of(*site.function))
          firsts_.push_back(rule_text(site, failure, n, false));
    if (!all_) choose(firsts_, options_.firsts);
  }

  std::optional<Case> next() override {
    if (next_first_ == firsts_.size()) {
      if (seconds_.empty()) return std::nullopt;
      const auto [first, second] = seconds_.front();
      seconds_.pop_front();
      return ruled(with_rules(control_, {first, second}));
    }
    Experiment experiment = with_rules(control_, {firsts_[next_first_++]});
    experiment.watch_system_calls = (options_.kinds & 1u << RDMAFAULT_SYSTEM_CALL) != 0;
    return ruled(std::move(experiment));
  }

  void seen(const Case& one, const Evidence& evidence) override {
    if (one.experiment.rules.size() != 1 || evidence.observation.returned == 0) return;
    std::vector<std::string> rules = later_calls(evidence);
    if (!all_) choose(rules, options_.seconds);
    for (std::string& rule : rules) seconds_.emplace_back(one.experiment.rules.front().text, std::move(rule));
  }

 private:
  // Rules for the calls that were made after the first fault.
  [[nodiscard]] std::vector<std::string> later_calls(const Evidence& evidence) {
    std::map<std::pair<uint16_t, std::string>, uint64_t> calls;
    std::vector<std::string> rules;
    bool later = false;
    for (const rdmafault_record& record : evidence.call_under_test()) {
      const rdmafault_function& function = function_of(record);
      const std::string caller = caller_of(library_, evidence, record);
      const uint64_t n = ++calls[{record.function, caller}];
      const bool wanted = (options_.kinds & 1u << function.kind) != 0 && function.errors != nullptr &&
                          (options_.only.empty() || options_.only == function.name) &&
                          options_.except != function.name;
      if (later && wanted && caller != "@harness") {
        std::vector<std::string> failures = failures_of(function);
        if (!all_) choose(failures, 1);
        for (const std::string& failure : failures)
          rules.push_back(rule_text({&function, caller, n}, failure, n, false));
      }
      later = later || (record.flags & RDMAFAULT_INJECTED) != 0;
    }
    return rules;
  }

  // Keeps `number` of them, in their order, chosen by the seed.
  void choose(std::vector<std::string>& from, size_t number) {
    while (from.size() > number)
      from.erase(from.begin() + static_cast<ptrdiff_t>(random_.below(from.size())));
  }

  const Library& library_;
  Experiment control_;
  PairOptions options_;
  bool all_;
  Random random_;
  std::vector<std::string> firsts_;
  size_t next_first_ = 0;
  std::deque<std::pair<std::string, std::string>> seconds_;
};

}  // namespace

std::vector<Site> sites_of(const Library& library, const Evidence& evidence, const Scope& scope) {
  std::vector<Site> sites;  // in the order in which they are first called
  for (const rdmafault_record& record : evidence.call_under_test()) {
    const rdmafault_function& function = function_of(record);
    if ((scope.kinds & 1u << function.kind) == 0 || function.errors == nullptr) continue;
    const std::string caller = caller_of(library, evidence, record);
    if (caller.empty() || caller == "@harness") continue;
    if (!(caller == "@iut" ? scope.of_iut : scope.of_others)) continue;
    auto site = std::ranges::find_if(
        sites, [&](const Site& one) { return one.function == &function && one.caller == caller; });
    if (site == sites.end()) site = sites.insert(sites.end(), {&function, caller, 0});
    ++site->calls;
  }
  return sites;
}

std::string calls_that_cannot_fail(const Evidence& evidence) {
  std::map<std::string, size_t> calls;
  for (const rdmafault_record& record : evidence.call_under_test()) {
    const rdmafault_function& function = function_of(record);
    if (function.kind != RDMAFAULT_SYSTEM_CALL || function.errors != nullptr) continue;
    const bool is_other = std::string_view(function.name) == "other_system_call";
    ++calls[is_other ? fmt::format("system call {}", record.args[0]) : function.name];
  }
  std::string text;
  for (const auto& [name, number] : calls)
    text += fmt::format("{}{} x {}", text.empty() ? "" : ", ", number, name);
  return text;
}

std::vector<std::string> failures_of(const rdmafault_function& function) {
  std::vector<std::string> ways;
  for (const rdmafault_name* name = function.errors; name != nullptr && name->name != nullptr; ++name)
    ways.push_back(fmt::format("error={}", name->name));
  const bool whole = std::ranges::find(kWholeMessages, function.name) != std::end(kWholeMessages);
  for (const rdmafault_name* name = whole ? nullptr : function.values;
       name != nullptr && name->name != nullptr; ++name)
    ways.push_back(fmt::format("retval={}", name->name));
  return ways;
}

std::unique_ptr<CaseSource> every_point(const Experiment& control, std::vector<Site> sites) {
  return std::make_unique<EveryPoint>(control, std::move(sites));
}

void sweep_every_point(Test& test, const Setting& setting, const Scope& scope) {
  test.sweep_control = Experiment{listen_operation(), setting.start, setting.sentinel};
  test.sweep_control.watch_system_calls = (scope.kinds & 1u << RDMAFAULT_SYSTEM_CALL) != 0;
  test.sweep = [scope](const SweepStart& start) {
    std::vector<Site> sites = sites_of(start.library, start.evidence, scope);
    return sites.empty() ? nullptr : every_point(start.control, std::move(sites));
  };
}

std::unique_ptr<CaseSource> memory_runs_out(const Experiment& control, uint64_t allocations) {
  return std::make_unique<MemoryRunsOut>(control, allocations);
}

std::unique_ptr<CaseSource> pairs(const Library& library, const Experiment& control,
                                  const std::vector<Site>& sites, const PairOptions& options,
                                  const Choice& choice) {
  return std::make_unique<Pairs>(library, control, sites, options, choice);
}

}  // namespace conformance
