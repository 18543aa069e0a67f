// SPDX-License-Identifier: BSD-3-Clause
//
// An experiment: one run of a function under test in its own process, under a set of rules.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/operation.h"
#include "shim/rdmafault.h"

namespace conformance {

// What the process did before the call (DESIGN section 2).
enum class Start { Cold, Primed, Warm };

// What the out-parameter holds before the call. Live: the handle of an endpoint that is in use.
enum class Sentinel { Null, Wild, Live };

std::string_view name_of(Start start);
std::string_view name_of(Sentinel sentinel);

struct Rule {
  std::string text;
  rdmafault_rule parsed;
  [[nodiscard]] rdmafault_kind kind() const;  // of the function that it makes fail
};

// Parses `text`. Throws std::invalid_argument with the parser's message.
Rule make_rule(const std::string& text);

// The IUT's log function: Ours stores the text in the observation; Default is the IUT's own.
enum class Logger { Ours, Default };

struct Experiment {
  std::shared_ptr<const Operation> operation;
  Start start = Start::Primed;
  Sentinel sentinel = Sentinel::Null;
  std::vector<Rule> rules = {};
  std::string script = {};     // of the mock; empty: no script
  std::string condition = {};  // NAME or NAME:PARAMETER (conditions.h); empty: none
  Logger logger = Logger::Ours;
  bool watch_system_calls = false;  // even without a rule or condition
  bool must_succeed = false;        // if refused, it is tried without the IUT; not in the id
  // How many threads make the call in turn, each on its own port. Every second one has the rules.
  unsigned threads = 1;

  // The stable id: names, roles and ordinals, no addresses or versions. point.h parses it.
  [[nodiscard]] std::string point() const;
  // The same experiment without a fault; it must succeed before a fault's verdict counts.
  [[nodiscard]] Experiment control() const;
  // Whether it has a fault, script, condition or special arguments, so that a control is needed.
  [[nodiscard]] bool is_disturbed() const;
  // Whether the shim must see the system calls of the call under test.
  [[nodiscard]] bool sees_system_calls() const;
};

// A start and a sentinel. kSettings has each start and each sentinel once.
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
