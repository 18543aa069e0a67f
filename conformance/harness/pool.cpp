// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/pool.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "conformance/harness/child.h"
#include "conformance/harness/conditions.h"
#include "conformance/harness/guard.h"
#include "conformance/harness/interruption.h"
#include "conformance/harness/shared_memory.h"
#include "conformance/harness/starvation.h"
#include "conformance/harness/threads.h"

namespace conformance {
namespace {

using Clock = std::chrono::steady_clock;

// How often sleepers are looked for, and how long a sleeper may run or wait for a processor in that time.
constexpr std::chrono::milliseconds kNap{1000};
constexpr auto kStirs = kNap / 100;

// The object of `address` in process `pid`, from /proc/PID/maps.
Place place_in(pid_t pid, uint64_t address) {
  Place place{};
  place.address = address;
  std::ifstream maps(fmt::format("/proc/{}/maps", pid));
  std::string line;
  std::string first_of_file;
  uint64_t base = 0;
  while (std::getline(maps, line)) {
    std::istringstream fields(line);
    uint64_t start = 0;
    uint64_t end = 0;
    char dash = 0;
    std::string permissions, offset, device, inode, path;
    fields >> std::hex >> start >> dash >> end >> permissions >> offset >> device >> inode >> path;
    if (path != first_of_file) {
      first_of_file = path;
      base = start;
    }
    if (address < start || address >= end) continue;
    place.offset = address - base;
    const std::string file = path.substr(path.rfind('/') + 1);
    file.copy(place.file.data(), place.file.size() - 1);
    break;
  }
  return place;
}

// The instruction of the system call in which a process sleeps.
Place place_of_last_system_call(pid_t pid, const Observation& observation) {
  std::ifstream file(fmt::format("/proc/{}/syscall", pid));
  std::string line;
  std::getline(file, line);
  const size_t last = line.rfind(' ');
  if (last == std::string::npos) return {};  // "running", or not readable
  Place place = place_in(pid, std::strtoull(line.c_str() + last, nullptr, 16));
  // The kernel gives the file's name; everything else uses the link's name, as the loader does.
  const size_t listed = std::min<size_t>(observation.module_count, observation.modules.size());
  for (const LoadedModule& module : std::span(observation.modules).first(listed)) {
    if (place.file[0] == '\0' || module.base != place.address - place.offset) continue;
    const std::string path(module.path.data(), strnlen(module.path.data(), module.path.size()));
    place.file = {};
    (path.empty() ? "main" : path.substr(path.rfind('/') + 1)).copy(place.file.data(), place.file.size() - 1);
    break;
  }
  return place;
}

// Whether the process has a handler for stack_signal(); without one the signal would end it. If the thread
// blocks the signal, nothing happens.
bool has_handler_for_stack_signal(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/status", pid));
  constexpr std::string_view caught = "SigCgt:\t";
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(caught))
      return (std::strtoull(line.c_str() + caught.size(), nullptr, 16) >> (stack_signal() - 1) & 1) != 0;
  return false;
}

// Waits until the child has recorded its stack; at most 1 s, since the pool does not check other children
// meanwhile.
bool notes_its_stack(Observation& observation, int pidfd) {
  const auto deadline = Clock::now() + std::chrono::seconds(1);
  const std::atomic_ref noted(observation.stack_noted);
  while (noted.load(std::memory_order_acquire) == 0) {
    if (Clock::now() >= deadline) return false;
    pollfd end{pidfd, POLLIN, 0};
    if (poll(&end, 1, 1) > 0) return noted.load(std::memory_order_acquire) != 0;
  }
  return true;
}

}  // namespace

struct Pool::Slot {
  std::span<std::byte> memory;
  size_t used = 0;  // bytes that the last experiment may have written
  pid_t pid = -1;
  int pidfd = -1;
  size_t ticket = 0;
  std::optional<Experiment> experiment;
  Clock::time_point started;
  Clock::time_point deadline;
  bool killed = false;
  bool unguarded = false;     // the experiment runs again, without the guard
  Clock::duration granted{};  // beyond the time-out: it waited for a processor
  bool sleeps = false;
  Clock::time_point looked;            // when it was last checked for sleep
  std::chrono::nanoseconds stirred{};  // how long it had run and waited for a processor by then

  [[nodiscard]] bool busy() const { return pid > 0; }
};

Pool::Pool(const Library& library, const Target& target, PoolOptions options)
    : library_(library), target_(target), options_(options) {
  const size_t size = experiment_memory_size(library);
  options_.jobs = std::max(1U, options_.jobs);
  for (unsigned i = 0; i < options_.jobs + options_.sleepers; ++i) {
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw SetupError("no memory for the experiments' observations; give fewer --jobs");
    slots_.push_back(std::make_unique<Slot>());
    slots_.back()->memory = {static_cast<std::byte*>(memory), size};
  }
}

Pool::~Pool() {
  for (const auto& slot : slots_) {
    if (slot->busy()) {
      kill(slot->pid, SIGKILL);
      waitpid(slot->pid, nullptr, 0);
      close(slot->pidfd);
    }
    munmap(slot->memory.data(), slot->memory.size());
  }
}

size_t Pool::announce(Experiment experiment) {
  waiting_.emplace_back(tickets_, std::move(experiment));
  return tickets_++;
}

std::unique_ptr<Evidence> Pool::await(size_t ticket) {
  for (;;) {
    if (!interruption().empty()) throw Interrupted();
    fill_free_slots();
    if (std::unique_ptr<Evidence> evidence = take(ticket)) return evidence;
    if (std::none_of(slots_.begin(), slots_.end(), [](const auto& slot) { return slot->busy(); }) &&
        waiting_.empty())
      throw std::logic_error("await() of an experiment that was not announced, or was already returned");
    wait_for_any();
  }
}

std::unique_ptr<Evidence> Pool::take(size_t ticket) {
  const auto found = done_.find(ticket);
  if (found == done_.end()) return nullptr;
  std::unique_ptr<Evidence> evidence = std::move(found->second);
  done_.erase(found);
  return evidence;
}

// An experiment that disturbs the whole machine runs alone.
bool Pool::must_wait(const Experiment& next) const {
  const auto is_alone = [](const Experiment& experiment) {
    const Condition* condition = find_condition(experiment.condition);
    return condition != nullptr && condition->alone;
  };
  return std::ranges::any_of(slots_, [&](const auto& slot) {
    return slot->busy() && (is_alone(next) || is_alone(*slot->experiment));
  });
}

void Pool::fill_free_slots() {
  size_t busy = 0;
  size_t awake = 0;
  for (const auto& slot : slots_) {
    if (!slot->busy()) continue;
    ++busy;
    if (!slot->sleeps) ++awake;
  }
  for (const auto& slot : slots_) {
    // If nothing runs, the awaited one has not started: it must start even if kAhead others are finished.
    if (awake >= options_.jobs || (done_.size() >= kAhead && busy > 0)) return;
    if (slot->busy()) continue;
    if (waiting_.empty() && announce_more_) announce_more_();
    if (waiting_.empty()) return;
    if (must_wait(waiting_.front().second)) return;
    ++busy;
    ++awake;
    slot->experiment = std::move(waiting_.front().second);
    const size_t ticket = waiting_.front().first;
    waiting_.pop_front();
    start(*slot, ticket);
  }
}

void Pool::start(Slot& slot, size_t ticket) {
  slot.ticket = ticket;
  slot.unguarded = false;
  start_child(slot);
}

void Pool::start_child(Slot& slot) {
  std::memset(slot.memory.data(), 0, std::max(slot.used, sizeof(Observation)));
  slot.killed = false;
  slot.granted = {};
  slot.sleeps = false;
  slot.stirred = {};
  slot.looked = slot.started = Clock::now();
  slot.deadline = slot.started + (options_.timeout.count() > 0 ? options_.timeout : kLongestTimeout);
  slot.pid = fork();
  if (slot.pid == 0)
    run_in_child(library_, target_, *slot.experiment, slot.memory,
                 slot.unguarded ? Guard::Mode::Off : Guard::Mode::On);
  slot.pidfd = slot.pid > 0 ? static_cast<int>(syscall(SYS_pidfd_open, slot.pid, 0)) : -1;
  if (slot.pidfd >= 0) return;
  auto evidence = std::make_unique<Evidence>();
  evidence->point = slot.experiment->point();
  evidence->child_error =
      fmt::format("cannot create a process for the experiment: {}; give fewer --jobs", strerror(errno));
  if (slot.pid > 0) {
    kill(slot.pid, SIGKILL);
    waitpid(slot.pid, nullptr, 0);
  }
  slot.pid = -1;
  done_[slot.ticket] = std::move(evidence);
  ++finished_;
}

void Pool::find_sleepers() {
  const auto now = Clock::now();
  for (const auto& slot : slots_) {
    if (!slot->busy() || now - slot->looked < kNap) continue;
    const ProcessorTime time = processor_time(slot->pid);
    const std::chrono::nanoseconds stirred = time.ran + time.waited;
    const bool is_known = time.ran.count() > 0;  // a started child has run
    slot->sleeps = is_known && stirred - slot->stirred < (now - slot->looked) / kNap * kStirs;
    slot->stirred = stirred;
    slot->looked = now;
  }
}

void Pool::wait_for_any() {
  std::vector<pollfd> ends;
  auto first_deadline = Clock::time_point::max();
  for (const auto& slot : slots_) {
    if (!slot->busy()) continue;
    ends.push_back({slot->pidfd, POLLIN, 0});
    if (!slot->killed) first_deadline = std::min(first_deadline, slot->deadline);
  }
  if (ends.empty()) return;
  int wait_ms = -1;
  if (first_deadline != Clock::time_point::max()) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first_deadline - Clock::now()).count();
    wait_ms = static_cast<int>(std::max<int64_t>(0, left));
  }
  constexpr int kNapMs = kNap.count();
  if (wait_ms < 0 || wait_ms > kNapMs) wait_ms = kNapMs;  // to find sleepers
  const auto before = Clock::now();
  if (poll(ends.data(), ends.size(), wait_ms) < 0 && errno != EINTR) throw std::runtime_error("poll failed");
  // If the runner was stopped, the children may have been stopped too: that time does not count.
  const auto stopped = Clock::now() - before - std::chrono::milliseconds(wait_ms);
  if (stopped > kNap)
    for (const auto& slot : slots_)
      for (Clock::time_point* time : {&slot->started, &slot->deadline, &slot->looked}) *time += stopped;
  find_sleepers();
  for (const auto& slot : slots_) {
    if (!slot->busy()) continue;
    const bool ended = std::any_of(ends.begin(), ends.end(), [&slot](const pollfd& end) {
      return end.fd == slot->pidfd && (end.revents & POLLIN) != 0;
    });
    if (ended) {
      collect(*slot);
    } else if (!slot->killed && Clock::now() >= slot->deadline && !is_granted_more_time(*slot)) {
      note_where_it_hangs(*slot);
      kill(slot->pid, SIGKILL);
      slot->killed = true;
    }
  }
}

// Time in which a child waits for a processor does not count: on a busy machine that is not a hang. It is
// limited, since a child that spins also waits for a processor at times.
bool Pool::is_granted_more_time(Slot& slot) {
  constexpr int kMost = 10;  // times the time-out
  const auto timeout = slot.deadline - slot.started - slot.granted;
  slot.granted = std::min<Clock::duration>(processor_time(slot.pid).waited, kMost * timeout);
  slot.deadline = slot.started + timeout + slot.granted;
  return Clock::now() < slot.deadline;
}

// Records where a child hangs: from its own handler, otherwise from /proc.
void Pool::note_where_it_hangs(Slot& slot) {
  Observation& observation = observation_in(slot.memory);
  const pid_t at_work = thread_at_work(log_memory_in(slot.memory), slot.experiment->threads);
  const pid_t thread = at_work != 0 ? at_work : slot.pid;
  if (has_handler_for_stack_signal(slot.pid) && syscall(SYS_tgkill, slot.pid, thread, stack_signal()) == 0 &&
      notes_its_stack(observation, slot.pidfd))
    observation.stuck = observation.at;
  else
    observation.stuck = place_of_last_system_call(thread, observation);
}

void Pool::collect(Slot& slot) {
  // The processes that the IUT started in it. Before waitpid(): then the id cannot be another process's yet.
  kill(-slot.pid, SIGKILL);
  int status = 0;
  const bool has_status = waitpid(slot.pid, &status, 0) == slot.pid;
  close(slot.pidfd);
  const Condition* condition = find_condition(slot.experiment->condition);
  if (condition != nullptr && condition->restore != nullptr)
    if (const std::string text = condition->restore(target_); !text.empty())
      throw SetupError(
          fmt::format("the machine is not restored after {}: {}", slot.experiment->point(), text));
  Observation& observation = observation_in(slot.memory);
  // Ended in the call under test without a crash that the guard's handler saw: the IUT may have installed a
  // handler of its own, to which a store to the guarded page is a crash.
  if (!slot.unguarded && !slot.killed && observation.phase == Phase::Call && observation.caught == 0) {
    slot.unguarded = true;
    slot.used = slot.memory.size();
    start_child(slot);
    return;
  }
  observation.unguarded = slot.unguarded ? 1 : 0;
  observation.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  observation.status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  observation.timed_out = slot.killed ? 1 : 0;
  observation.seconds = std::chrono::duration<double>(Clock::now() - slot.started).count();

  auto evidence = std::make_unique<Evidence>();
  evidence->point = slot.experiment->point();
  slot.used = gather(*evidence, *slot.experiment, slot.memory);
  if (!has_status) evidence->child_error = "the exit status of the experiment's process is lost";
  done_[slot.ticket] = std::move(evidence);
  slot.pid = -1;
  ++finished_;
}

}  // namespace conformance
