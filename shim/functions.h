// SPDX-License-Identifier: BSD-3-Clause
//
// The function table (functions.inc, then system_calls.inc) inside the shim, with indices and conventions
// known at compile time.
#ifndef SHIM_FUNCTIONS_H
#define SHIM_FUNCTIONS_H

#include <cstddef>
#include <cstdint>

#include "shim/rdmafault.h"

namespace rdmafault {

enum class Function : std::uint16_t {
#define RDMAFAULT_FUNCTION(name, ...) name,
#include "shim/functions.inc"
};

inline constexpr rdmafault_convention kConventions[] = {
#define RDMAFAULT_FUNCTION(name, kind, convention, ...) RDMAFAULT_##convention,
#include "shim/functions.inc"
};

inline constexpr rdmafault_kind kKinds[] = {
#define RDMAFAULT_FUNCTION(name, kind, ...) RDMAFAULT_##kind,
#include "shim/functions.inc"
};

// The number of interposed functions.
inline constexpr std::size_t kFunctionCount = sizeof(kConventions) / sizeof(*kConventions);

inline constexpr const char* kSystemCallNames[] = {
#define RDMAFAULT_SYSTEM_CALL(name, ...) #name,
#include "shim/system_calls.inc"
};

// The number of rows: system calls follow the interposed functions.
inline constexpr std::size_t kRowCount =
    kFunctionCount + sizeof(kSystemCallNames) / sizeof(*kSystemCallNames);

constexpr rdmafault_convention convention_of(Function function) {
  return kConventions[static_cast<std::size_t>(function)];
}
constexpr rdmafault_kind kind_of(Function function) {
  return kKinds[static_cast<std::size_t>(function)];
}

// Whether a rule for RDMAFAULT_ANY_ALLOCATOR applies to it.
constexpr bool is_any_allocator(std::size_t function) {
  return function < kFunctionCount && kKinds[function] == RDMAFAULT_ALLOCATOR &&
         kConventions[function] != RDMAFAULT_VOID;
}

// The row of a function or system call.
const rdmafault_function& row_of(std::size_t function);

// The row whose errors and values a rule for `function` accepts. RDMAFAULT_ANY_ALLOCATOR has one too, outside
// the table. nullptr if there is no such function.
const rdmafault_function* row_for_rule(std::size_t function);

inline bool can_fail(const rdmafault_function& row) {
  return row.errors != nullptr;
}

}  // namespace rdmafault

#endif  // SHIM_FUNCTIONS_H
