// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>

#include "conformance/harness/codes.h"
#include "conformance/harness/conditions.h"
#include "conformance/harness/guard.h"
#include "conformance/harness/holdings.h"
#include "conformance/harness/shared_memory.h"
#include "conformance/harness/threads.h"

namespace conformance {
namespace {

// A wild sentinel: not a handle, and not a valid address.
void* const kWild = reinterpret_cast<void*>(0x5eed'5eed'5eed'5ee8);

Observation* logged_into = nullptr;

// librpma's log function: keeps the text, allocates nothing. It runs inside the call under test.
void keep_log(rpma_log_level, const char*, const int, const char*, const char* format, ...) {
  Observation& observation = *logged_into;
  const size_t used = std::min<size_t>(observation.log_size, observation.log.size() - 1);
  va_list arguments;
  va_start(arguments, format);
  const int size = vsnprintf(observation.log.data() + used, observation.log.size() - used, format, arguments);
  va_end(arguments);
  observation.log_size += size > 0 ? static_cast<uint32_t>(size) : 0;
  const size_t end = std::min<size_t>(observation.log_size, observation.log.size() - 2);
  observation.log.at(end) = '\n';
  observation.log.at(end + 1) = '\0';
  ++observation.log_size;
}

class Child {
 public:
  Child(const Library& library, const Target& target, const Experiment& experiment,
        std::span<std::byte> memory, Guard::Mode guard)
      : library_(library),
        experiment_(experiment),
        observation_(observation_in(memory)),
        log_memory_(log_memory_in(memory)),
        bed_(library, target),
        guard_(observation_, library.shim, guard) {
    // It would get handles of the mock.
    Guard::forbid(library.not_for_the_mock, library.iut.base);
    const std::span<std::byte> log = share_of(log_memory_, experiment.threads, 0);
    log_ = library.shim.log_init(log.data(), log.size());
    for (const Rule& rule : experiment.rules) rules_.push_back(rule.parsed);
  }

  void run() {
    logged_into = &observation_;
    // Otherwise the IUT keeps the log function that it set when it was loaded.
    if (experiment_.logger == Logger::Ours) library_.iut.log_set_function(keep_log);
    observation_.phase = Phase::Prepare;
    if (const Condition* condition = find_condition(experiment_.condition);
        condition != nullptr && condition->begin != nullptr)
      condition->begin();
    if (!shim_is_live() || !mock_plays({}) || !prepare()) return;
    // The script's expectations cover the call under test and the release of its endpoint.
    if (!mock_plays(experiment_.script)) return;
    const bool alone = experiment_.threads == 1;
    if (alone)
      call();
    else
      let_threads_call();
    if (observation_.broken[0] != '\0') return;
    take_holdings(observation_.after, on_kernel());
    list_modules(observation_);
    if (alone && observation_.code == 0) use_and_undo();
    if (!mock_plays({})) return;
    if ((!alone || observation_.code != 0) && !condition_lasts()) again();
    take_holdings(observation_.end, on_kernel());
    observation_.phase = Phase::Teardown;
    if (const std::string text = bed_.tear_down(); !text.empty())
      return broken("while tearing down: " + text);
    mock_rests();
    observation_.phase = Phase::Done;
  }

 private:
  void broken(const std::string& text) { put(observation_.broken, text); }
  [[nodiscard]] bool on_kernel() const { return library_.mock.begin == nullptr; }

  // Replaces the running script by `script`. Failures of the old script are kept.
  bool mock_plays(const std::string& script) {
    if (library_.mock.begin == nullptr) return true;
    mock_rests();
    if (library_.mock.begin(script.empty() ? nullptr : script.c_str()) == 0) {
      mock_is_playing_ = true;
      return true;
    }
    broken("unknown mock script " + script);
    return false;
  }

  // The number of connection requests that the script sends during the call.
  [[nodiscard]] int queued_requests() const {
    if (library_.mock.scripts == nullptr) return 0;
    size_t count = 0;
    const rdmamock_script* scripts = library_.mock.scripts(&count);
    for (size_t i = 0; i < count; ++i)
      if (experiment_.script == scripts[i].name) return scripts[i].pending_request;
    return 0;
  }

  void mock_rests() {
    if (!mock_is_playing_) return;
    rdmamock_outcome outcome{};
    library_.mock.end(&outcome);
    if (observation_.mock.failures == 0)
      std::memcpy(observation_.mock.text, outcome.text, sizeof(outcome.text));
    observation_.mock.failures += outcome.failures;
    mock_is_playing_ = false;
  }

  bool arm(std::span<const rdmafault_rule> rules, uint32_t flags = 0) {
    const rdmafault_session session{
        log_, rules.data(), rules.size(), library_.roles.data(), library_.roles.size(), flags};
    if (library_.shim.arm(&session) == 0) return true;
    broken("the shim cannot be armed: " + error_name(errno));
    return false;
  }

  // A verdict needs both: the IUT's slots still point into the shim, and the shim counts a call.
  bool shim_is_live() {
    if (const std::string slot = slot_past_shim(library_); !slot.empty()) {
      broken("the IUT bypasses the shim for " + slot);
      return false;
    }
    if (!arm({})) return false;
    void* volatile block = std::malloc(1);
    std::free(block);
    library_.shim.disarm();
    if (log_->count == 2) return true;
    broken("the shim counted " + std::to_string(log_->count) + " of 2 calls");
    return false;
  }

  bool prepare() {
    std::string text = bed_.make_peer(experiment_.start);
    if (text.empty() && experiment_.start == Start::Warm) text = bed_.warm_up();
    if (text.empty() && experiment_.sentinel == Sentinel::Live) text = bed_.make_live();
    if (text.empty()) experiment_.operation->prepare(bed_);
    if (text.empty()) return true;
    broken(text);
    return false;
  }

  [[nodiscard]] void* sentinel() const {
    switch (experiment_.sentinel) {
      case Sentinel::Null:
        break;
      case Sentinel::Wild:
        return kWild;
      case Sentinel::Live:
        return bed_.live;
    }
    return nullptr;
  }

  void let_threads_call() {
    take_holdings(observation_.before, on_kernel());
    list_modules(observation_);
    observation_.has_out = 1;
    call_in_threads(bed_, experiment_, sentinel(), log_memory_, observation_);
  }

  void call() {
    void** out = guard_.slot();
    observation_.has_out = experiment_.operation->has_out() ? 1 : 0;
    *out = sentinel();
    observation_.out_before = reinterpret_cast<uint64_t>(*out);
    take_holdings(observation_.before, on_kernel());
    list_modules(observation_);  // before the call: it may crash
    std::unique_ptr<Imposed> imposed = impose();
    Guard::close();
    if (!arm(rules_, experiment_.sees_system_calls() ? RDMAFAULT_SYSTEM_CALLS : 0)) return;
    observation_.call_first = log_->count;
    observation_.phase = Phase::Call;
    const auto begin = std::chrono::steady_clock::now();
    errno = 0;
    const int code = experiment_.operation->call(bed_, out);
    const int error = errno;
    const auto end = std::chrono::steady_clock::now();
    library_.shim.disarm();
    observation_.call_last = log_->count;
    std::copy_n(log_->rules, RDMAFAULT_MAX_RULES, observation_.rules.begin());
    Guard::open();
    observation_.returned = 1;
    observation_.code = code;
    observation_.error = error;
    observation_.nanoseconds =
        static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count());
    observation_.out_after = reinterpret_cast<uint64_t>(*out);
    observation_.phase = Phase::After;
    if (code != 0 && experiment_.must_succeed) try_without_iut();
    if (!imposed) return;
    if (code == 0 && !imposed->lacks().empty()) broken(imposed->lacks());
    if (const std::string text = imposed->lift(); !text.empty()) broken("cannot undo the condition: " + text);
  }

  // Whether the environment is the reason for a refusal. If a second attempt of the IUT succeeds, the reason
  // was temporary. Not with a mock script: its expectations are for the IUT's calls only.
  void try_without_iut() {
    if (!experiment_.script.empty()) return;
    const Operation& operation = *experiment_.operation;
    std::string text;
    observation_.without_iut = operation.have_without_iut(bed_, text);
    void* out = nullptr;
    if (observation_.without_iut == Works::Yes && operation.call(bed_, &out) == 0) {
      operation.undo(bed_, &out);
      observation_.without_iut = Works::Unknown;
      text = "a second attempt succeeded";
    }
    put(observation_.without_iut_text, text);
  }

  [[nodiscard]] bool condition_lasts() const {
    const Condition* condition = find_condition(experiment_.condition);
    return condition != nullptr && condition->lasts;
  }

  std::unique_ptr<Imposed> impose() {
    if (experiment_.condition.empty()) return nullptr;
    const Condition* condition = find_condition(experiment_.condition);
    if (condition == nullptr) throw std::runtime_error("unknown condition " + experiment_.condition);
    if (const std::string why = not_allowed(*condition, bed_.target); !why.empty())
      throw std::runtime_error(why);
    if (condition->impose == nullptr) return nullptr;
    return condition->impose(bed_, parameter_of(experiment_.condition));
  }

  void use_and_undo() {
    void** out = guard_.slot();
    if (observation_.has_out == 0 || observation_.out_after == observation_.out_before)
      return;  // there is no endpoint
    observation_.phase = Phase::Use;
    std::string text;
    observation_.works = experiment_.operation->use(bed_, *out, queued_requests(), text);
    observation_.used = 1;
    put(observation_.use_text, text);
    observation_.phase = Phase::Undo;
    if (!arm({})) return;
    observation_.undo_first = log_->count;
    observation_.undo_code = experiment_.operation->undo(bed_, out);
    library_.shim.disarm();
    observation_.undo_last = log_->count;
    observation_.undone = 1;
  }

  // After a failure, and after threads, the same call with correct arguments and without a fault must work.
  void again() {
    observation_.phase = Phase::Again;
    const Operation& ordinary = experiment_.operation->ordinary();
    void* out = nullptr;
    if (!arm({})) return;
    observation_.again_first = log_->count;
    observation_.again_code = ordinary.call(bed_, &out);
    library_.shim.disarm();
    observation_.again_last = log_->count;
    std::string text;
    if (observation_.again_code == 0) {
      observation_.again_works = ordinary.use(bed_, out, 0, text);
      ordinary.undo(bed_, &out);
    }
    put(observation_.again_text, text);
    observation_.again = 1;
  }

  const Library& library_;
  const Experiment& experiment_;
  Observation& observation_;
  std::span<std::byte> log_memory_;
  rdmafault_log* log_ = nullptr;
  std::vector<rdmafault_rule> rules_;
  Testbed bed_;
  Guard guard_;
  bool mock_is_playing_ = false;
};

}  // namespace

void run_in_child(const Library& library, const Target& target, const Experiment& experiment,
                  std::span<std::byte> memory, Guard::Mode guard) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  setsid();  // signals of the terminal, and to a whole group, must pass between child and runner in no
             // direction
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGXFSZ}) std::signal(signal, SIG_DFL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // Output of the IUT must not reach the runner's terminal.
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  // The child inherits no other descriptor of the runner.
  close_range(STDERR_FILENO + 1, ~0u, 0);
  try {
    Child(library, target, experiment, memory, guard).run();
  } catch (const std::exception& error) {
    Observation& observation = observation_in(memory);
    // Out of a C function nothing may be thrown; in our own phases it is our own.
    const bool ours = observation.phase == Phase::Born || observation.phase == Phase::Prepare ||
                      observation.phase == Phase::After;
    if (ours)
      put(observation.broken, error.what());
    else
      put(observation.thrown, error.what());
  }
  if (library.iut.counts_coverage) exit(0);  // its destructor writes the counters
  _exit(0);
}

std::unique_ptr<Evidence> run_in_this_process(const Library& library, const Target& target,
                                              const Experiment& experiment) {
  const size_t size = experiment_memory_size(library);
  const auto memory = std::make_unique<std::byte[]>(size);  // zero, and aligned as new[] does
  const std::span<std::byte> all(memory.get(), size);
  Child(library, target, experiment, all, Guard::Mode::Off).run();
  auto evidence = std::make_unique<Evidence>();
  gather(*evidence, experiment, all);
  return evidence;
}

}  // namespace conformance
