// SPDX-License-Identifier: BSD-3-Clause
//
// What the page and the rulings (catalogue/rulings.cpp) promise for a fault, as it was seen to fire:
// the first one decides.
#pragma once

#include <string_view>
#include <vector>

#include "conformance/harness/judge.h"

namespace conformance {

// An allocation of the IUT's own failed first.
Expectation no_memory();
// A provider call of the IUT's failed first; `clauses` promise the code.
Expectation provider_failed(std::vector<std::string_view> clauses);

// For an experiment whose faults are rules. Where none fired, a success, which the fire proof then refuses.
Expectation ruled_by_first_fault(const Library& library, const Evidence& evidence);

// The same without evidence, from the point alone: what its first rule, arguments or condition let expect.
Expectation ruled_beforehand(const Experiment& experiment);

// The clause that says what a failing provider function must give; empty: none is about it.
std::string_view clause_about(std::string_view function);

}  // namespace conformance
