// SPDX-License-Identifier: BSD-3-Clause
//
// An experiment: one run of a function under test in a process of its own, under a set of rules.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/operation.h"
#include "shim/rdmafault.h"

namespace conformance {

// How used the process is when the call is made (DESIGN section 2).
enum class Start { Cold, Primed, Warm };

// What the out-parameter holds before the call. Live: the handle of an endpoint that is in use.
enum class Sentinel { Null, Wild, Live };

std::string_view name_of(Start start);
std::string_view name_of(Sentinel sentinel);

struct Rule {
  std::string text;
  rdmafault_rule parsed;
  [[nodiscard]] rdmafault_kind kind() const;  // of what it makes fail
};

// Parses `text`; a rule that is written in our own tables and does not parse is a defect of ours and throws
// std::invalid_argument with the parser's words.
Rule make_rule(const std::string& text);

// Whose log function the IUT has: one of ours, that keeps the text, or the one that it sets itself.
enum class Logger { Ours, Default };

struct Experiment {
  std::shared_ptr<const Operation> operation;
  Start start = Start::Primed;
  Sentinel sentinel = Sentinel::Null;
  std::vector<Rule> rules = {};
  std::string script = {};     // of the mock; empty: the plain fake
  std::string condition = {};  // NAME or NAME:PARAMETER (conditions.h); empty: good conditions
  Logger logger = Logger::Ours;
  bool watch_system_calls = false;  // also where no rule and no condition is there
  bool must_succeed = false;        // where it is refused, the same is tried without the IUT; not in the id
  unsigned threads =
      1;  // that make the call in turn, each on a port of its own; every second one has the rules

  // The stable id: names, roles and ordinals, never addresses or versions. point.h reads it back.
  [[nodiscard]] std::string point() const;
  // The same experiment without a fault; it must succeed before a fault's verdict counts.
  [[nodiscard]] Experiment control() const;
  // Whether anything is made to go wrong, so that a control is needed.
  [[nodiscard]] bool is_disturbed() const;
  // Whether the shim must see the system calls of the call under test.
  [[nodiscard]] bool sees_system_calls() const;
};

// The start that a sentinel needs: each start and each sentinel is met once where a test runs all three.
struct Setting {
  Start start;
  Sentinel sentinel;
};
constexpr Setting kSettings[] = {
    {Start::Cold, Sentinel::Null},
    {Start::Primed, Sentinel::Wild},
    {Start::Warm, Sentinel::Live},
};

}  // namespace conformance
