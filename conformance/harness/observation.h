// SPDX-License-Identifier: BSD-3-Clause
//
// All that one experiment shows. It is in memory shared with the runner and mapped before the fork, so that a
// crash or a hang loses nothing: plain data, no pointers, fixed sizes. The child fills it in step by step.
// The shim's log follows it in the same mapping (DESIGN section 4).
//
// Protocol: only the child writes, and the runner reads after the child has ended, except
//   - `stack_noted`, which the child stores with release order and the runner loads with acquire order while
//     the child may still run: if it is 1, `at` and the frames are complete and do not change any more;
//   - `signal` and the fields below it, which the runner fills in at the end.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

#include "mocks/rdmamock.h"
#include "shim/rdmafault.h"

namespace conformance {

// What the child is doing. Born, Prepare and After are the harness's own set-up; the judge has the clauses of
// the others.
enum class Phase : uint32_t { Born, Prepare, Call, After, Use, Undo, Again, Teardown, Done };

// The maximum number of threads in one experiment (the shim can arm 32).
inline constexpr unsigned kMaxThreads = 16;
// The maximum number of calls of each thread.
inline constexpr unsigned kMaxRounds = 20;

// Whether the result of a successful call works. Unknown: the harness's own client failed.
enum class Works : uint32_t { Unknown, No, Yes };

// A place in a loaded object.
struct Place {
  uint64_t address;
  uint64_t offset;            // address - load address
  std::array<char, 64> file;  // base name; "main" for the program; empty: in no object
};

// One store to the guarded page, recorded by its page fault and a single step.
struct Store {
  Place by;
  uint64_t before;
  uint64_t after;
};

struct Descriptor {
  int32_t number;
  std::array<char, 60> target;  // as /proc/self/fd shows it
};

// What the process holds at one moment.
struct Holdings {
  uint32_t taken;  // 0: the child ended before
  uint32_t count;  // of descriptors; may exceed the array, which then has the first ones
  int32_t cm_ids;  // of this process, as the kernel lists them; -1: the kernel could not be asked
  std::array<Descriptor, 96> descriptors;
};

struct LoadedModule {
  uint64_t base;
  std::array<char, 200> path;
};

// What one of several threads is doing, or did last (threads.h).
enum class Step : uint32_t { Waits, Calls, Called, Uses, Used, Undoes, Undone };

constexpr bool is_at_work(Step step) {
  return step == Step::Calls || step == Step::Uses || step == Step::Undoes;
}

// One call of one thread.
struct ThreadRound {
  Step step;
  int32_t code;
  uint64_t out_before;
  uint64_t out_after;
  Works works;
  int32_t undo_code;
  // Records of the thread's own log.
  uint32_t call_first, call_last, undo_first, undo_last;
  std::array<rdmafault_rule_state, RDMAFAULT_MAX_RULES> rules;
};

// What one of several threads did. It is followed by the thread's own log; only the thread writes it.
struct ThreadSeen {
  int32_t id;       // the kernel's
  uint32_t rounds;  // started
  std::array<ThreadRound, kMaxRounds> round;
  std::array<char, 300> use_text;  // why the last endpoint does not work
};

struct Observation {
  Phase phase;
  std::array<char, 400> broken;  // why the set-up failed; empty: it did not

  uint32_t returned;  // 1: the call under test returned
  int32_t code;       // what it returned
  int32_t error;      // errno after it: recorded, never judged
  uint64_t nanoseconds;
  uint64_t out_before;  // the out-parameter, as the sentinel left it
  uint64_t out_after;
  uint32_t has_out;  // 0: the out-parameter's address was NULL in this experiment
  uint32_t stores;   // may exceed the array
  std::array<Store, 8> store;

  // Records of the shim's log: [call_first, call_last) belong to the call under test, [undo_first, undo_last)
  // to the release of what a successful call gave.
  uint32_t call_first, call_last, undo_first, undo_last;
  // After the call under test; each arming resets them.
  std::array<rdmafault_rule_state, RDMAFAULT_MAX_RULES> rules;

  Holdings before, after, end;

  uint32_t used;  // 1: the endpoint was used
  Works works;
  std::array<char, 300> use_text;  // why it does not work
  uint32_t undone;
  int32_t undo_code;

  // If the call under test had to succeed and failed: Yes: the same listen without the IUT succeeded, and a
  // second call of the IUT failed.
  Works without_iut;
  std::array<char, 300> without_iut_text;

  uint32_t again;  // 1: a second call under good conditions was made
  int32_t again_code;
  Works again_works;
  uint32_t again_first, again_last;  // records of the second call
  std::array<char, 300> again_text;

  rdmamock_outcome mock;

  uint32_t log_size;  // bytes of what the IUT logged; may exceed the array
  std::array<char, 4000> log;

  uint32_t module_count;
  std::array<LoadedModule, 64> modules;

  // The place of a crash, or of the interruption of a hang, written by the signal handlers (guard.h).
  int32_t caught;                // signal number of a crash; 0: none
  std::array<char, 200> thrown;  // what() of an exception that a C function of the stack threw
  Place at;
  uint64_t fault_address;
  uint32_t stack_noted;  // 1: a thread was interrupted in a hang, and its stack is in `frame`
  uint32_t frames;
  // Innermost first, without the handler's frames. The first is `at`, the others are return addresses.
  std::array<Place, 24> frame;

  // Filled in by the runner.
  int32_t signal;  // that ended the child, or 0
  int32_t status;  // exit status, where there was no signal
  uint32_t timed_out;
  uint32_t unguarded;  // 1: the guard was off, since the IUT replaced its handlers
  Place stuck;         // where a child hung: `at`, or its last system call
  double seconds;      // from fork to end
};

// Copies `text`, cut to the size of the array.
template <size_t N>
void put(std::array<char, N>& to, std::string_view text) {
  const size_t size = std::min(text.size(), N - 1);
  text.copy(to.data(), size);
  to.at(size) = '\0';
}

}  // namespace conformance
