// SPDX-License-Identifier: BSD-3-Clause
//
// The pool runs experiments, each in a child forked for it, up to `jobs` at a time, and watches over them.
// Memory does not grow with the number of experiments: a slot's mapping is used again.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
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
  uint32_t dropped = 0;  // records for which the log had no room
};

struct PoolOptions {
  unsigned jobs = 1;
  std::chrono::milliseconds timeout{30'000};  // of one experiment; longer than librdmacm's own 5 s of retries
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

  // Waits for an announced experiment and hands its evidence over, once.
  std::unique_ptr<Evidence> await(size_t ticket);

  [[nodiscard]] size_t finished() const { return finished_; }

 private:
  struct Slot;
  void fill_free_slots();
  void wait_for_any();
  void start(Slot& slot, size_t ticket);
  void collect(Slot& slot);
  static void note_where_it_hangs(Slot& slot);

  const Library& library_;
  const Target& target_;
  PoolOptions options_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::deque<std::pair<size_t, Experiment>> waiting_;
  std::map<size_t, std::unique_ptr<Evidence>> done_;
  size_t tickets_ = 0;
  size_t finished_ = 0;
};

}  // namespace conformance
