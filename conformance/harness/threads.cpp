// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/threads.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "conformance/harness/codes.h"
#include "conformance/harness/shared_memory.h"

namespace conformance {
namespace {

// On a kernel a round takes long: one connection for each endpoint.
constexpr unsigned kRoundsOnKernel = 3;

// Above the kernel's ephemeral ports and those of the testbed.
constexpr int kFirstThreadPort = 61000;
constexpr int kThreadPortGroups = (65536 - kFirstThreadPort) / static_cast<int>(kMaxThreads);

std::string port_of_thread(unsigned index) {
  const int group = getpid() % kThreadPortGroups;
  return std::to_string(kFirstThreadPort + group * static_cast<int>(kMaxThreads) + static_cast<int>(index));
}

// One thread at a time, in the order of their places. Does not allocate: threads wait here armed.
class Turns {
 public:
  template <class Work>
  void take(unsigned place, Work&& work) {
    for (unsigned next = next_.load(); next != place; next = next_.load()) next_.wait(next);
    std::forward<Work>(work)();
    next_.store(place + 1);
    next_.notify_all();
  }

 private:
  std::atomic<unsigned> next_ = 0;
};

class Team {
 public:
  Team(const Testbed& bed, const Experiment& experiment, void* sentinel, std::span<std::byte> log_memory,
       Observation& observation)
      : library_(bed.library),
        experiment_(experiment),
        sentinel_(sentinel),
        observation_(observation),
        size_(experiment.threads),
        rounds_(bed.library.mock.begin != nullptr ? kMaxRounds : kRoundsOnKernel),
        met_(size_, Met{this}) {
    for (const Rule& rule : experiment.rules) rules_.push_back(rule.parsed);
    for (unsigned i = 0; i < size_; ++i) {
      const std::span<std::byte> share = share_of(log_memory, size_, i + 1);
      const std::span<std::byte> log = thread_log_in(share);
      members_.push_back({bed, thread_seen_in(share), bed.library.shim.log_init(log.data(), log.size())});
      members_.back().bed.port = port_of_thread(i);
    }
  }

  void run() {
    std::vector<std::jthread> threads;
    threads.reserve(size_);
    for (unsigned i = 0; i < size_; ++i) threads.emplace_back([this, i] { work(i); });
    threads.clear();  // joins them
    summarise();
  }

 private:
  struct Member {
    Testbed bed;
    ThreadSeen& seen;
    rdmafault_log* log;
    void* out = nullptr;
  };

  // Runs while all threads wait, some of them armed: does not allocate.
  struct Met {
    Team* team;
    void operator()() const noexcept { team->next_phase(); }
  };

  void next_phase() {
    constexpr std::array kPhases = {Phase::Call, Phase::After, Phase::Use, Phase::Undo, Phase::After};
    const size_t meeting = meetings_++ % kPhases.size();
    observation_.phase = kPhases.at(meeting);
    if (meeting + 1 == kPhases.size() && std::ranges::any_of(members_, went_wrong))
      rounds_ = 0;  // no more rounds: the evidence must show the cause
  }

  static bool went_wrong(const Member& member) {
    const ThreadRound& last = member.seen.round.at(member.seen.rounds - 1);
    return last.code == 0 && (last.works != Works::Yes || last.undo_code != 0);
  }

  // The others would wait for this thread for ever: the process ends.
  template <size_t N>
  [[noreturn]] static void give_up(std::array<char, N>& why, const std::string& text) {
    put(why, text);
    _exit(0);
  }

  void arm(const Member& member, std::span<const rdmafault_rule> rules) const {
    const rdmafault_session session{
        member.log, rules.data(), rules.size(), library_.roles.data(), library_.roles.size(), 0};
    if (library_.shim.arm(&session) != 0)
      give_up(observation_.broken, "the shim cannot be armed in a thread: " + error_name(errno));
  }

  void work(unsigned index) {
    Member& member = members_.at(index);
    member.seen.id = gettid();
    try {
      for (unsigned round = 0; round < rounds_; ++round) work_once(member, index, round);
    } catch (const std::exception& error) {
      // A C function must not throw.
      give_up(observation_.thrown, error.what());
    }
  }

  void work_once(Member& member, unsigned index, unsigned round) {
    ThreadRound& seen = member.seen.round.at(round);
    ++member.seen.rounds;
    // Each round starts with another thread, so that every thread sometimes follows a failing one, or is
    // first.
    const unsigned place = (index + round) % size_;
    const unsigned first_turn = 3 * round * size_;

    member.out = sentinel_;
    seen.out_before = reinterpret_cast<uint64_t>(member.out);
    arm(member, index % 2 == 1 ? std::span<const rdmafault_rule>(rules_) : std::span<const rdmafault_rule>());
    met_.arrive_and_wait();
    turns_.take(first_turn + place, [&] {
      seen.step = Step::Calls;
      seen.call_first = member.log->count;
      seen.code = experiment_.operation->call(member.bed, &member.out);
      seen.call_last = member.log->count;
      seen.step = Step::Called;
    });
    met_.arrive_and_wait();  // all are armed until the last one has called
    library_.shim.disarm();
    std::copy_n(member.log->rules, seen.rules.size(), seen.rules.begin());
    seen.out_after = reinterpret_cast<uint64_t>(member.out);
    met_.arrive_and_wait();  // a client's calls must not be in any thread's log

    const bool given = seen.code == 0 && seen.out_after != seen.out_before && seen.out_after != 0;
    turns_.take(first_turn + size_ + place, [&] {
      if (given) use(member, seen);
    });
    met_.arrive_and_wait();
    turns_.take(first_turn + 2 * size_ + place, [&] {
      if (given) undo(member, seen);
    });
    met_.arrive_and_wait();
  }

  void use(Member& member, ThreadRound& seen) {
    if (refuses_connections_) return;  // each attempt takes a client's whole time-out
    seen.step = Step::Uses;
    std::string text;
    seen.works = experiment_.operation->use(member.bed, member.out, 0, text);
    put(member.seen.use_text, text);
    refuses_connections_ = seen.works != Works::Yes;
    seen.step = Step::Used;
  }

  void undo(Member& member, ThreadRound& seen) const {
    seen.step = Step::Undoes;
    arm(member, {});
    seen.undo_first = member.log->count;
    seen.undo_code = experiment_.operation->undo(member.bed, &member.out);
    library_.shim.disarm();
    seen.undo_last = member.log->count;
    seen.step = Step::Undone;
  }

  void summarise() {
    observation_.works = Works::Yes;
    for (unsigned i = 0; i < size_; i += 2) {
      const ThreadSeen& seen = members_.at(i).seen;
      for (unsigned round = 0; round < seen.rounds; ++round) {
        const ThreadRound& one = seen.round.at(round);
        if (observation_.code == 0) observation_.code = one.code;
        if (one.works == Works::Yes || observation_.works != Works::Yes) continue;
        observation_.works = one.works;
        put(observation_.use_text, seen.use_text.data());
      }
    }
    observation_.returned = 1;
  }

  const Library& library_;
  const Experiment& experiment_;
  void* sentinel_;
  Observation& observation_;
  unsigned size_;
  unsigned rounds_;  // changes while all threads wait
  std::vector<rdmafault_rule> rules_;
  std::vector<Member> members_;
  Turns turns_;
  bool refuses_connections_ = false;  // an endpoint did not work; written in turns
  unsigned meetings_ = 0;             // of all threads, so far
  std::barrier<Met> met_;
};

}  // namespace

int32_t thread_at_work(std::span<std::byte> log_memory, unsigned threads) {
  for (unsigned i = 1; i <= threads && threads > 1; ++i) {
    const ThreadSeen& seen = thread_seen_in(share_of(log_memory, threads, i));
    if (seen.rounds == 0) continue;
    if (is_at_work(seen.round.at(seen.rounds - 1).step)) return seen.id;
  }
  return 0;
}

void call_in_threads(const Testbed& bed, const Experiment& experiment, void* sentinel,
                     std::span<std::byte> log_memory, Observation& observation) {
  const Operation& operation = *experiment.operation;
  const bool ordinary = &operation.ordinary() == &operation && experiment.script.empty() &&
                        experiment.condition.empty() && !experiment.sees_system_calls();
  if (!ordinary)
    throw std::runtime_error(
        "threads=N cannot be combined with arguments, script, condition or system-calls");
  Team(bed, experiment, sentinel, log_memory, observation).run();
}

}  // namespace conformance
