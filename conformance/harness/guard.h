// SPDX-License-Identifier: BSD-3-Clause
//
// The guarded out-parameter, and the last words of a crash.
//
// The out-parameter lies on a page of its own that is read-only during a call under test. A store to it
// faults; the handler notes which instruction wrote, lets that one instruction run (single-step), notes the
// new value, and closes the page again. So a store is seen even where the value was put back before the call
// returned. x86-64 only. Under gdb or valgrind the guard must be off, and no verdict is given.
#pragma once

#include "conformance/harness/observation.h"

namespace conformance {

// Where an address lies, without allocation or lock: for signal handlers.
Place place_of(uint64_t address);

// One per process, in the child. Installs handlers for the signals by which a process crashes; they write
// what they see into the observation and then let the signal take its course.
class Guard {
 public:
  explicit Guard(Observation& observation);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  Guard(Guard&&) = delete;
  Guard& operator=(Guard&&) = delete;

  // The out-parameter: write the sentinel here before close(), read what became of it after open().
  [[nodiscard]] void** slot() const { return slot_; }

  static void close();  // the page is read-only, stores are recorded
  static void open();   // the page is ordinary memory

 private:
  void** slot_;
};

}  // namespace conformance
