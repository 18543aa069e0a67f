// SPDX-License-Identifier: BSD-3-Clause
//
// The pool runs experiments, each in a child forked for it, up to `jobs` at a time, and watches over them.
// One that sleeps for seconds, as who hangs mostly does, takes no processor from the others and so gives up
// its place. Memory does not grow with the number of experiments: a slot's mapping is used again.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "conformance/harness/experiment.h"
#include "conformance/harness/observation.h"
#include "conformance/harness/testbed.h"

namespace conformance {

// What the runner keeps of an experiment once its slot is free again.
struct Evidence {
  std::string point;
  std::string child_error;  // the child could not even be made
  Observation observation{};
  std::vector<rdmafault_record> records;
  std::vector<rdmafault_module> modules;
  uint32_t dropped = 0;    // records for which the log had no room
  uint32_t uncovered = 0;  // how often the shim lost sight of system calls (rdmafault.h)

  // Where several threads called: what each saw. Its records begin at records[first_record].
  struct Thread {
    ThreadSeen seen;
    uint32_t first_record;
  };
  std::vector<Thread> threads;

  // Records of the call under test, where it returned.
  [[nodiscard]] std::span<const rdmafault_record> call_under_test() const {
    const size_t end = std::min<size_t>(observation.call_last, records.size());
    const size_t begin = std::min<size_t>(observation.call_first, end);
    return std::span(records).subspan(begin, end - begin);
  }
};

// librdmacm itself retries for 5 s, and a client waits for each step of a connection.
inline constexpr std::chrono::milliseconds kShortestTimeout{20'000};
inline constexpr std::chrono::milliseconds kLongestTimeout{60'000};

// Finished experiments may lie ahead of the one that is awaited, but not without bound: as many as a
// processor or two finish while that one hangs (some 100 KB each).
inline constexpr size_t kAhead = 1024;

struct PoolOptions {
  unsigned jobs = 1;
  std::chrono::milliseconds timeout{};  // of one experiment; 0: kLongestTimeout, until somebody knows better
  unsigned sleepers = 8;                // that have given up their place, at most
};

class Pool {
 public:
  Pool(const Library& library, const Target& target, PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  Pool(Pool&&) = delete;
  Pool& operator=(Pool&&) = delete;

  // Experiments are started in the order in which they were announced, ahead of the one that is waited for.
  size_t announce(Experiment experiment);

  // Called while somebody waits, where a place is free and no experiment is left for it: may announce one,
  // and must not wait.
  void when_idle(std::function<void()> announce_more) { announce_more_ = std::move(announce_more); }

  // Waits for an announced experiment and hands its evidence over, once.
  std::unique_ptr<Evidence> await(size_t ticket);
  // The same without waiting; nullptr: it is not done yet.
  std::unique_ptr<Evidence> take(size_t ticket);

  // Of experiments that are started from now on.
  void set_timeout(std::chrono::milliseconds timeout) { options_.timeout = timeout; }

  [[nodiscard]] size_t finished() const { return finished_; }

 private:
  struct Slot;
  void fill_free_slots();
  [[nodiscard]] bool must_wait(const Experiment& next) const;
  void wait_for_any();
  void see_who_sleeps();
  void start(Slot& slot, size_t ticket);
  void collect(Slot& slot);
  static bool is_granted_more_time(Slot& slot);
  static void note_where_it_hangs(Slot& slot);

  const Library& library_;
  const Target& target_;
  PoolOptions options_;
  std::function<void()> announce_more_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<std::pair<size_t, Experiment>> waiting_;
  std::map<size_t, std::unique_ptr<Evidence>> done_;
  size_t tickets_ = 0;
  size_t finished_ = 0;
};

}  // namespace conformance
