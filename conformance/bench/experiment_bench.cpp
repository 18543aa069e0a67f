// SPDX-License-Identifier: BSD-3-Clause
//
// What one experiment costs compared with the bare calls: a fork, the same calls, the same snapshots and an
// exit, without arming or judging. Runs with the shim preloaded, on the mock or on the device that --device
// and --addr name.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "conformance/bench/command_line.h"
#include "conformance/harness/holdings.h"
#include "conformance/harness/judge.h"
#include "conformance/harness/library.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/harness/pool.h"
#include "shim/bench/ratios.h"

namespace conformance {
namespace {

using rpmaconf::bench::Goal;

// What all sides use.
struct Rig {
  Library library;
  Target target;
  std::vector<std::string> exec;  // the command that makes the bare calls once, as a new program
};

Experiment experiment_with(const ListenArguments& arguments) {
  Experiment one;
  one.operation = listen_operation(arguments);
  one.start = Start::Primed;
  one.sentinel = Sentinel::Wild;
  return one;
}

// The calls and snapshots of an experiment, in the order in which its child makes them.
std::string act(const Rig& rig, const Experiment& experiment) {
  const bool on_kernel = rig.library.mock.begin == nullptr;
  if (!on_kernel) rig.library.mock.begin(nullptr);
  const auto observation = std::make_unique<Observation>();
  Testbed bed(rig.library, rig.target);
  if (std::string text = bed.make_peer(experiment.start); !text.empty()) return text;
  const Operation& operation = *experiment.operation;
  operation.prepare(bed);
  take_holdings(observation->before, on_kernel);
  list_modules(*observation);
  void* out = nullptr;
  std::string text;
  const int code = operation.call(bed, &out);
  take_holdings(observation->after, on_kernel);
  list_modules(*observation);
  const Operation& next = code == 0 ? operation : operation.ordinary();
  if (code != 0 && next.call(bed, &out) != 0) return "the next call failed";
  if (next.use(bed, out, 0, text) != Works::Yes) return "the endpoint does not work: " + text;
  if (next.undo(bed, &out) != 0) return "the endpoint cannot be shut down";
  take_holdings(observation->end, on_kernel);
  if (!on_kernel) {
    rdmamock_outcome outcome{};
    rig.library.mock.end(&outcome);
  }
  return bed.tear_down();
}

bool ended_well(pid_t pid) {
  int status = 0;
  return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void bare(benchmark::State& state, const Rig& rig, const Experiment& experiment) {
  for ([[maybe_unused]] auto _ : state) {
    const pid_t pid = fork();
    if (pid == 0) {
      const std::string text = act(rig, experiment);
      if (!text.empty()) fmt::print(stderr, "{}\n", text);
      _exit(text.empty() ? 0 : 1);
    }
    if (!ended_well(pid)) return state.SkipWithError("the bare calls failed");
  }
}

void whole(benchmark::State& state, const Rig& rig, const Experiment& experiment,
           const Expectation& expectation) {
  Pool pool(rig.library, rig.target, {1, kLongestTimeout});
  std::unique_ptr<Evidence> control;
  if (experiment.is_disturbed()) control = pool.await(pool.announce(experiment.control()));
  for ([[maybe_unused]] auto _ : state) {
    const std::unique_ptr<Evidence> evidence = pool.await(pool.announce(experiment));
    for (const ClauseOutcome& one : judge(rig.library, experiment, expectation, *evidence, control.get()))
      if (one.outcome.verdict() != Verdict::Pass) return state.SkipWithError(one.outcome.reason().c_str());
  }
}

// As other tools do: a new program for each fault.
void exec(benchmark::State& state, const Rig& rig) {
  std::vector<char*> argv;
  for (const std::string& word : rig.exec) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  for ([[maybe_unused]] auto _ : state) {
    pid_t pid = -1;
    posix_spawn(&pid, "/proc/self/exe", nullptr, nullptr, argv.data(), environ);
    if (!ended_well(pid)) return state.SkipWithError("the program with the bare calls failed");
  }
}

struct Growth {
  double seconds;    // per experiment
  double megabytes;  // peak memory of the process that runs them
};

// Runs `count` experiments in a new process.
Growth grow(const Rig& rig, const Experiment& experiment, size_t count) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw std::runtime_error("cannot create a pipe");
  const pid_t pid = fork();
  if (pid == 0) {
    Pool pool(rig.library, rig.target, {1, kLongestTimeout});
    const auto begin = std::chrono::steady_clock::now();
    for (size_t i = 0; i < count; ++i) {
      const std::unique_ptr<Evidence> evidence = pool.await(pool.announce(experiment));
      for (const ClauseOutcome& one :
           judge(rig.library, experiment, {.promise = Promise::Success}, *evidence, nullptr))
        if (one.outcome.verdict() != Verdict::Pass) _exit(1);
    }
    Growth growth{};
    growth.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() /
                     static_cast<double>(count);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    growth.megabytes = static_cast<double>(usage.ru_maxrss) / 1024;
    _exit(write(ends[1], &growth, sizeof(growth)) == sizeof(growth) ? 0 : 1);
  }
  close(ends[1]);
  Growth growth{};
  const bool got = read(ends[0], &growth, sizeof(growth)) == sizeof(growth);
  close(ends[0]);
  if (!ended_well(pid) || !got)
    throw std::runtime_error(fmt::format("{} experiments in a row failed", count));
  return growth;
}

// Time and memory of 1000, 10000, ... experiments, divided by those of 100.
int measure_growth(const Rig& rig, const std::string& file, size_t most) {
  const Experiment experiment = experiment_with({});
  std::vector<rpmaconf::bench::Ratio> rows;
  for (size_t count = 1000; count <= most; count *= 10) {
    std::array<std::vector<double>, 4> samples;  // time of many and of few, memory of many and of few
    Growth many{};
    for (int i = 0; i < 5; ++i) {
      const Growth few = grow(rig, experiment, 100);
      if (i == 0 || count <= 10000) many = grow(rig, experiment, count);  // larger counts take minutes
      const Growth few_again = grow(rig, experiment, 100);
      samples[0].push_back(many.seconds);
      samples[1].push_back((few.seconds + few_again.seconds) / 2);
      samples[2].push_back(many.megabytes);
      samples[3].push_back(few.megabytes);
    }
    constexpr double kFlat = 1.10;
    for (size_t i = 0; i < 2; ++i)
      for (double& value : samples.at(i)) value *= 1e9;
    rows.push_back(
        rpmaconf::bench::ratio_of(fmt::format("growth/time/{}", count), samples[0], samples[1], "ns"));
    rows.back().goal = kFlat;
    rows.push_back(
        rpmaconf::bench::ratio_of(fmt::format("growth/memory/{}", count), samples[2], samples[3], "MB"));
    rows.back().goal = kFlat;
  }
  rpmaconf::bench::report(std::move(rows), file);
  return 0;
}

constexpr Goal kGoals[] = {{"listen", "experiment", 1.25}, {"refused", "experiment", 1.25}};

int measure(int argc, char** argv) {
  Rig rig;
  rig.target.provider = "mock";
  bool once = false;
  size_t growth = 0;
  std::string ratios;
  CLI::App app{"What one experiment costs; also takes Google Benchmark's options"};
  app.add_flag("--once", once, "only make the bare calls once");
  app.add_option("--growth", growth, "only measure the growth up to this number of experiments");
  app.add_option("--device", rig.target.device, "RDMA device (default: the mock's)");
  app.add_option("--addr", rig.target.address, "its address");
  app.add_option("--ratios", ratios, "file for the ratios");
  app.allow_extras();
  if (const std::optional<int> code = exit_code_of_parsing(app, argc, argv)) return *code;
  std::vector<std::string> words = app.remaining();
  words.insert(words.begin(), argv[0]);
  if (!ratios.empty()) words.insert(words.end(), {"--ratios", ratios});
  std::vector<char*> rest;
  rest.reserve(words.size());
  for (std::string& word : words) rest.push_back(word.data());
  const bool mock = rig.target.device.empty();
  if (mock) {
    rig.target.device = RDMAMOCK_DEVICE;
    rig.target.address = RDMAMOCK_ADDR;
  } else {
    rig.target.provider = "rxe";
  }
  rig.library = open_library({.librpma = "", .rdma_core = "", .mock = mock});
  const Experiment listen = experiment_with({});
  const Experiment refused = experiment_with({.nulls = kPeerNull, .address = {}, .port = {}});
  if (once) return act(rig, listen).empty() ? 0 : 1;
  if (growth > 0) return measure_growth(rig, ratios, growth);
  rig.exec = {argv[0], "--once"};
  if (!mock) rig.exec.insert(rig.exec.end(), {"--device", rig.target.device, "--addr", rig.target.address});

  using benchmark::RegisterBenchmark;
  std::vector<std::string> names;
  names.reserve(8);  // the benchmarks keep pointers to the names
  const auto named = [&](const char* name) {
    return names.emplace_back(fmt::format("{}/{}", name, rig.target.provider)).c_str();
  };
  const auto real = [](benchmark::internal::Benchmark* one) {
    one->UseRealTime()->Unit(benchmark::kNanosecond);
  };
  real(RegisterBenchmark(named("listen/bare"), [&](benchmark::State& state) { bare(state, rig, listen); }));
  real(RegisterBenchmark(named("listen/experiment"), [&](benchmark::State& state) {
    whole(state, rig, listen, {.promise = Promise::Success});
  }));
  real(RegisterBenchmark(named("listen/exec"), [&](benchmark::State& state) { exec(state, rig); }));
  real(RegisterBenchmark(named("refused/bare"), [&](benchmark::State& state) { bare(state, rig, refused); }));
  real(RegisterBenchmark(named("refused/experiment"), [&](benchmark::State& state) {
    whole(state, rig, refused, {.promise = Promise::Failure, .code = RPMA_E_INVAL, .asks_nothing = true});
  }));
  return rpmaconf::bench::run(static_cast<int>(rest.size()), rest.data(), kGoals);
}

}  // namespace
}  // namespace conformance

int main(int argc, char** argv) {
  try {
    return conformance::measure(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}: {}\n", argv[0], error.what());
    return 2;
  }
}
