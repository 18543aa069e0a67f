// SPDX-License-Identifier: BSD-3-Clause
//
// What the page and the rulings (catalogue/rulings.cpp) promise after a fault. The first fault that fired
// decides.
#pragma once

#include <string_view>
#include <vector>

#include "conformance/harness/judge.h"

namespace conformance {

// The first failure was an allocation of the IUT.
Expectation no_memory();
// The first failure was a provider call of the IUT; `clauses` promise the code.
Expectation provider_failed(std::vector<std::string_view> clauses);

// For an experiment whose faults are rules. If none fired: a success, which the fire proof then rejects.
Expectation ruled_by_first_fault(const Library& library, const Evidence& evidence);

// The same without evidence, from the experiment's first rule, arguments or condition.
Expectation ruled_beforehand(const Experiment& experiment);

// The clause that promises a code for this failing provider function; empty: there is none.
std::string_view clause_about(std::string_view function);

}  // namespace conformance
