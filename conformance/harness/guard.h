// SPDX-License-Identifier: BSD-3-Clause
//
// The guarded out-parameter, and the last words of a crash or a hang.
//
// The out-parameter lies on a page of its own that is read-only during a call under test. A store to it
// faults; the handler notes which instruction wrote, lets that one instruction run (single-step), notes the
// new value, and closes the page again. So a store is seen even where the value was put back before the call
// returned. x86-64 only. Under gdb or valgrind the guard must be off, and no verdict is given.
//
// A hang is asked for its stack by a signal from the runner. Its handler notes where the thread stands, says
// so (Observation::stack_noted) and does not return: a system call that was interrupted would fail with
// EINTR, and the call under test would go on from there. The runner then ends the process.
#pragma once

#include <csignal>

#include "conformance/harness/library.h"
#include "conformance/harness/observation.h"

namespace conformance {

// The runner's question to a child that hangs. A real-time signal, since nobody else sends one unasked; not
// the first of them, which programs take for themselves, nor the last, which valgrind takes.
inline int stack_signal() {
  return SIGRTMAX - 4;
}

// Where an address lies, without allocation or lock: for signal handlers.
Place place_of(uint64_t address);

// One per process, in the child and on its main thread. Installs handlers for the signals by which a process
// crashes; they write what they see into the observation and then let the signal take its course. And one for
// stack_signal(), which heeds the parent process alone. What the handlers do themselves is kept from the
// shim.
class Guard {
 public:
  // Off: for debuggers. The page is never closed, and signals take their usual course.
  enum class Mode { On, Off };
  // Without a shim (its functions null) nothing is kept from it.
  Guard(Observation& observation, const Shim& shim, Mode mode = Mode::On);
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
