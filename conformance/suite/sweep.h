// SPDX-License-Identifier: BSD-3-Clause
//
// Sweeps: a fault at every place where one can be put. A control's records tell which calls there are
// (function, calling module, how often); each of them fails, with each error that is legal for it, once and
// from there on, n = 1, 2, ... until a run in which nothing fired.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/suite/suite.h"

namespace conformance {

// Cases that come one by one: a sweep has more of them than should lie in memory, and some follow from what
// others showed.
class CaseSource {
 public:
  CaseSource() = default;
  virtual ~CaseSource() = default;
  CaseSource(const CaseSource&) = delete;
  CaseSource& operator=(const CaseSource&) = delete;
  CaseSource(CaseSource&&) = delete;
  CaseSource& operator=(CaseSource&&) = delete;

  // Nothing: there is none now. More may follow from evidence that is still to come.
  virtual std::optional<Case> next() = 0;
  virtual void seen(const Case& /*one*/, const Evidence& /*evidence*/) {}
};

// Calls of one function by one module in the control's call under test.
struct Site {
  const rdmafault_function* function;
  std::string caller;  // as a rule's caller= names it: @ROLE, or a SONAME without a role
  uint64_t calls;
};

// Which calls a sweep is about.
struct Scope {
  unsigned kinds;  // 1 << enum rdmafault_kind, or-ed
  bool of_iut;     // the IUT's own calls
  bool of_others;  // those of the modules below it
};

std::vector<Site> sites_of(const Library& library, const Evidence& evidence, const Scope& scope);

// The system calls of the control's call under test that no rule can make fail, in words; empty: there are
// none.
std::string calls_that_cannot_fail(const Evidence& evidence);

// The ways in which a function can be made to fail: "error=ENOMEM", "retval=EAI_NONAME".
std::vector<std::string> failures_of(const rdmafault_function& function);

// Each call of each site, with each failure, once and from there on.
std::unique_ptr<CaseSource> every_point(const Experiment& control, std::vector<Site> sites);

// Makes `test` the sweep of every point in `scope`, from this start.
void sweep_every_point(Test& test, const Setting& setting, const Scope& scope);

// All memory gone from the k-th allocation on, whoever makes it, for each k.
std::unique_ptr<CaseSource> memory_runs_out(const Experiment& control, uint64_t allocations);

// Pairs of faults: those of `first` one by one (each judged too), and after each of them the calls that its
// run made later, each failing. `seed` chooses, unless all are wanted.
struct PairOptions {
  unsigned kinds;                // of the second calls, as in Scope
  std::string_view only = {};    // the one function that may be the second; empty: any
  std::string_view except = {};  // a function that may not
  size_t firsts = 0;             // how many to choose
  size_t seconds = 0;            // after each
};
std::unique_ptr<CaseSource> pairs(const Library& library, const Experiment& control,
                                  const std::vector<Site>& sites, const PairOptions& options,
                                  const Choice& choice);

}  // namespace conformance
