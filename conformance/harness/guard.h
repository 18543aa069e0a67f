// SPDX-License-Identifier: BSD-3-Clause
//
// The guarded out-parameter, and the stack of a crash or a hang.
//
// The out-parameter is on its own page, which is read-only during a call under test. A store to it faults;
// the handler records the instruction, executes it (single-step), records the new value, and makes the page
// read-only again. So a store is seen even if the old value is restored before the call returns. x86-64
// only. Under gdb or valgrind the guard must be off, and no verdict is given.
//
// The runner sends a signal to a child that hangs. The handler records the stack, sets
// Observation::stack_noted and does not return: otherwise an interrupted system call would fail with EINTR,
// and the call under test would continue. The runner then ends the process.
#pragma once

#include <csignal>
#include <cstdint>

#include "conformance/harness/library.h"
#include "conformance/harness/observation.h"

namespace conformance {

// The signal by which the runner asks a child for its stack. A real-time signal, since the kernel does not
// send them by itself; not the first ones, which programs use, nor the last one, which valgrind uses.
inline int stack_signal() {
  return SIGRTMAX - 4;
}

// The object and offset of an address. For signal handlers: it does not allocate or lock.
Place place_of(uint64_t address);

// One per process, in the child and on its main thread. Installs handlers for crash signals, which fill in
// the observation and then let the default action run; and one for stack_signal(), which ignores the signal
// unless the parent process sent it. The shim is suspended in the handlers.
class Guard {
 public:
  // Off: for debuggers. The page stays writable, and no handler is installed.
  enum class Mode { On, Off };
  // `shim`: its functions may be null.
  Guard(Observation& observation, const Shim& shim, Mode mode = Mode::On);
  ~Guard();
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;
  Guard(Guard&&) = delete;
  Guard& operator=(Guard&&) = delete;

  // The out-parameter: write the sentinel before close(), read the result after open().
  [[nodiscard]] void** slot() const { return slot_; }

  // Code that the object loaded at `base` must not call: such a call ends the process by
  // SIGSEGV, with Observation::at in that code. All other calls work. Nothing where the guard is off.
  static void forbid(const CodeRanges& code, uint64_t base);

  static void close();  // the page is read-only, stores are recorded
  static void open();   // the page is ordinary memory

 private:
  void** slot_;
};

}  // namespace conformance
