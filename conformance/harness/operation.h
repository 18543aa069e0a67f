// SPDX-License-Identifier: BSD-3-Clause
//
// A function under test, as the harness knows it. The harness, the ledger and the reports work for any of
// them; what is peculiar to one function of librpma stands in a class of its own (listen_operation.h).
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
  // What tells this use of the function from others, for point ids; empty for the ordinary one.
  [[nodiscard]] virtual std::string variant() const { return {}; }
  // True where the call under test gets an out-parameter that can be guarded.
  [[nodiscard]] virtual bool has_out() const { return true; }
  // The same function with ordinary arguments: what a control and a second call do. An operation that is not
  // its own ordinary one is a disturbance in itself.
  [[nodiscard]] virtual const Operation& ordinary() const { return *this; }

  // Why this use of the function cannot be made on a target; empty: it can.
  [[nodiscard]] virtual std::string unsupported(const Target& /*target*/) const { return {}; }

  // The following run in the child. prepare() runs first, before anything is armed; throws std::exception
  // where this target cannot have it.
  virtual void prepare(Testbed& /*bed*/) const {}
  // Runs armed: it may do nothing but make the one call.
  virtual int call(const Testbed& bed, void** out) const = 0;
  // Put what a successful call gave to use; `text` says why where it does not work. `queued`: connection
  // requests that must have arrived meanwhile (a script of the mock sends them).
  virtual Works use(const Testbed& bed, void* given, int queued, std::string& text) const = 0;
  // Whether what the call was asked for can be had here by other means than the IUT: where it can, the
  // refusal is the IUT's own. `text` says why it cannot. Unknown: there are no other means.
  virtual Works have_without_iut(const Testbed& /*bed*/, std::string& /*text*/) const {
    return Works::Unknown;
  }
  // Release what a successful call gave; returns what the releasing function returned.
  virtual int undo(const Testbed& bed, void** given) const = 0;
};

}  // namespace conformance
