// SPDX-License-Identifier: BSD-3-Clause
//
// The pool runs experiments, each in its own forked child, up to `jobs` at a time, and ends those that time
// out. A child that sleeps for seconds, as most hung ones do, gives up its job slot: another experiment
// starts beside it. Memory does not grow with the number of experiments: a slot's mapping is reused.
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

// What the runner keeps of an experiment after its slot is free again.
struct Evidence {
  std::string point;
  std::string child_error;  // why the child could not be created
  Observation observation{};
  std::vector<rdmafault_record> records;
  std::vector<rdmafault_module> modules;
  uint32_t dropped = 0;    // records that did not fit in the log
  uint32_t uncovered = 0;  // how often the shim lost sight of system calls (rdmafault.h)

  // With several threads: what each one did. Its records begin at records[first_record].
  struct Thread {
    ThreadSeen seen;
    uint32_t first_record;
  };
  std::vector<Thread> threads;

  // The records of the call under test, if it returned.
  [[nodiscard]] std::span<const rdmafault_record> call_under_test() const {
    const size_t end = std::min<size_t>(observation.call_last, records.size());
    const size_t begin = std::min<size_t>(observation.call_first, end);
    return std::span(records).subspan(begin, end - begin);
  }
};

// librdmacm itself retries for 5 s, and a client waits for each step of a connection.
inline constexpr std::chrono::milliseconds kShortestTimeout{20'000};
inline constexpr std::chrono::milliseconds kLongestTimeout{60'000};

// The maximum number of experiments that finish before the awaited one: about what one or two processors do
// while that one hangs (about 100 KB each).
inline constexpr size_t kAhead = 1024;

struct PoolOptions {
  unsigned jobs = 1;
  std::chrono::milliseconds timeout{};  // of one experiment; 0: kLongestTimeout, until set_timeout()
  unsigned sleepers = 8;                // maximum number that gave up their job slot
};

class Pool {
 public:
  Pool(const Library& library, const Target& target, PoolOptions options);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  Pool(Pool&&) = delete;
  Pool& operator=(Pool&&) = delete;

  // Queues an experiment and returns its ticket. Experiments start in the order of announcement.
  size_t announce(Experiment experiment);

  // Called during await() if a job slot is free and no experiment is queued. It may announce one; it must not
  // wait.
  void when_idle(std::function<void()> announce_more) { announce_more_ = std::move(announce_more); }

  // Waits for an announced experiment and returns its evidence, once.
  std::unique_ptr<Evidence> await(size_t ticket);
  // The same without waiting; nullptr: not finished.
  std::unique_ptr<Evidence> take(size_t ticket);

  // For experiments that start from now on.
  void set_timeout(std::chrono::milliseconds timeout) { options_.timeout = timeout; }

  [[nodiscard]] size_t finished() const { return finished_; }

 private:
  struct Slot;
  void fill_free_slots();
  [[nodiscard]] bool must_wait(const Experiment& next) const;
  void wait_for_any();
  void find_sleepers();
  void start(Slot& slot, size_t ticket);
  void collect(Slot& slot);
  void start_child(Slot& slot);
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
