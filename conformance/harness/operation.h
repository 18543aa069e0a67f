// SPDX-License-Identifier: BSD-3-Clause
//
// A function under test. The harness, the ledger and the reports work for any function; what is specific to
// one is in its own class (listen_operation.h).
#pragma once

#include <string>
#include <string_view>

#include "conformance/harness/observation.h"

namespace conformance {

struct Target;
struct Testbed;

class Operation {
 public:
  Operation() = default;
  virtual ~Operation() = default;
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  Operation(Operation&&) = delete;
  Operation& operator=(Operation&&) = delete;

  // As the man page names it.
  [[nodiscard]] virtual std::string_view function() const = 0;
  // The special arguments, as text in point ids; empty for the ordinary call.
  [[nodiscard]] virtual std::string variant() const { return {}; }
  // True if the call under test gets an out-parameter that can be guarded.
  [[nodiscard]] virtual bool has_out() const { return true; }
  // The same function with ordinary arguments, for a control and a second call. An operation with special
  // arguments counts as a disturbance.
  [[nodiscard]] virtual const Operation& ordinary() const { return *this; }

  // Why this use of the function cannot be made on a target; empty: it can.
  [[nodiscard]] virtual std::string unsupported(const Target& /*target*/) const { return {}; }

  // The following functions run in the child. prepare() runs first, not armed; throws std::exception if this
  // target cannot run the operation.
  virtual void prepare(Testbed& /*bed*/) const {}
  // Runs armed: it must only make the call.
  virtual int call(const Testbed& bed, void** out) const = 0;
  // Uses the result of a successful call; `text` says why it does not work. `queued`: the number of
  // connection requests that must have arrived during the call (a mock script sends them).
  virtual Works use(const Testbed& bed, void* given, int queued, std::string& text) const = 0;
  // Whether the same works without the IUT: then the IUT is at fault for a refusal. `text` says why it does
  // not work. Unknown: there is no way without the IUT.
  virtual Works have_without_iut(const Testbed& /*bed*/, std::string& /*text*/) const {
    return Works::Unknown;
  }
  // Releases the result of a successful call; returns the releasing function's result.
  virtual int undo(const Testbed& bed, void** given) const = 0;
};

}  // namespace conformance
