// SPDX-License-Identifier: BSD-3-Clause
//
// All that one experiment shows. It lies in memory shared with the runner and mapped before the fork, so that
// a crash or a hang loses nothing: plain data, no pointers, fixed sizes, written by the child as it goes
// along. The shim's log follows it in the same mapping (DESIGN section 4).
//
// Protocol: the child alone writes, the runner reads after the child has ended, except `signal` and the
// fields below it, which the runner fills in then.
#pragma once

#include <array>
#include <cstdint>

#include "mocks/rdmamock.h"
#include "shim/rdmafault.h"

namespace conformance {

// What the child was doing. A child that died in any phase but Call died of our set-up, not of the fault.
enum class Phase : uint32_t { Born, Prepare, Call, After, Use, Undo, Again, Teardown, Done };

// Whether what a successful call gave works. Unknown: the harness's own client failed before that could show.
enum class Works : uint32_t { Unknown, No, Yes };

// A place in a loaded object.
struct Place {
  uint64_t address;
  uint64_t offset;            // address - load address
  std::array<char, 64> file;  // base name; "main" for the program; empty: in no object
};

// One store to the guarded page, seen by its page fault and single-stepped.
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
  uint32_t taken;  // 0: the child never got here
  uint32_t count;  // descriptors; may exceed the array, what is beyond it is not listed
  int32_t cm_ids;  // of this process, as the kernel lists them; -1: the kernel could not be asked
  std::array<Descriptor, 96> descriptors;
};

struct LoadedModule {
  uint64_t base;
  std::array<char, 200> path;
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
  std::array<rdmafault_rule_state, RDMAFAULT_MAX_RULES>
      rules;  // of the call under test: each arming starts anew

  Holdings before, after, end;

  uint32_t used;  // 1: the endpoint was put to use
  Works works;
  std::array<char, 300> use_text;  // what happened then
  uint32_t undone;
  int32_t undo_code;

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

  // The last moments of a crash, written by the signal handler.
  int32_t caught;                // signal number
  std::array<char, 200> thrown;  // what() of an exception that came out of the stack through its C interface
  Place at;
  uint64_t fault_address;
  uint32_t frames;
  std::array<Place, 24> frame;  // innermost first, without the handler's own

  // Filled in by the runner.
  int32_t signal;  // that ended the child, or 0
  int32_t status;  // exit status, where there was no signal
  uint32_t timed_out;
  Place stuck;     // where a child that did not return was found
  double seconds;  // from fork to end
};

}  // namespace conformance
