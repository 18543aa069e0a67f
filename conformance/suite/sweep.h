// SPDX-License-Identifier: BSD-3-Clause
//
// Sweeps: a fault at every possible place. The records of a control tell which calls there are (function,
// calling module, how often). Each call fails with each error that is legal for it: only the n-th call, and
// all calls from the n-th on, for n = 1, 2, ... until no rule fires.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conformance/suite/suite.h"

namespace conformance {

// Cases that are made one by one: a sweep has too many for the memory, and some depend on the evidence of
// others.
class CaseSource {
 public:
  CaseSource() = default;
  virtual ~CaseSource() = default;
  CaseSource(const CaseSource&) = delete;
  CaseSource& operator=(const CaseSource&) = delete;
  CaseSource(CaseSource&&) = delete;
  CaseSource& operator=(CaseSource&&) = delete;

  // Nothing if there is no case now. Evidence that is given to seen() may lead to more.
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

// Every allocation from the k-th on fails, in every module, for each k.
std::unique_ptr<CaseSource> memory_runs_out(const Experiment& control, uint64_t allocations);

// Pairs of faults. The first fault is at one of `sites`, and is also judged alone; the second is at a call
// that came after the first. The seed chooses, unless all pairs are wanted.
struct PairOptions {
  unsigned kinds;                // of the second calls, as in Scope
  std::string_view only = {};    // the only function of the second call; empty: any
  std::string_view except = {};  // a function that is left out
  size_t firsts = 0;             // number of first faults
  size_t seconds = 0;            // number of second faults for each
};
std::unique_ptr<CaseSource> pairs(const Library& library, const Experiment& control,
                                  const std::vector<Site>& sites, const PairOptions& options,
                                  const Choice& choice);

}  // namespace conformance
