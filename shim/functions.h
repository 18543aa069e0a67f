// SPDX-License-Identifier: BSD-3-Clause
//
// The function table (functions.inc) for use inside the shim: indices and conventions known at compile time.
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

inline constexpr std::size_t kFunctionCount = sizeof(kConventions) / sizeof(*kConventions);

constexpr rdmafault_convention convention_of(Function function) {
  return kConventions[static_cast<std::size_t>(function)];
}
constexpr rdmafault_kind kind_of(Function function) {
  return kKinds[static_cast<std::size_t>(function)];
}

// The row of a function.
const rdmafault_function& row_of(std::size_t function);

}  // namespace rdmafault

#endif  // SHIM_FUNCTIONS_H
