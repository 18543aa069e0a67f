// SPDX-License-Identifier: BSD-3-Clause
//
// Names in rules: of functions, errors and values; and suggestions for unknown names.
#ifndef SHIM_NAMES_H
#define SHIM_NAMES_H

#include <cstddef>
#include <string_view>

#include "shim/rdmafault.h"
#include "shim/text.h"

namespace rdmafault {

// The value of a rule's `function` for that name, or RDMAFAULT_NONE.
std::size_t find_function(std::string_view name);

// Write which function was probably meant, or all that can fail.
void suggest_function(Line& line, std::string_view name);

// The entry of `names` (ends with a NULL name; may be NULL) called `name`, or nullptr.
const rdmafault_name* find_name(const rdmafault_name* names, std::string_view name);

// The same, by value.
const rdmafault_name* find_value(const rdmafault_name* names, int value);

// Write all of `names`, separated by commas.
void list_names(Line& line, const rdmafault_name* names);

}  // namespace rdmafault

#endif  // SHIM_NAMES_H
