// SPDX-License-Identifier: BSD-3-Clause
//
// The caller of a system call: the innermost code outside libc, the loader, the vDSO and the shim.
#ifndef SHIM_CALLERS_H
#define SHIM_CALLERS_H

#include <cstdint>

namespace rdmafault::callers {

// Prepare the unwinder, which allocates the first time, and find the code of libc, loader and vDSO. To be
// called before the thread is armed.
void initialise();

// The innermost return address on the stack outside libc, the loader, the vDSO and the shim. If there is
// none: `address`, the place of the system call.
std::uint64_t find(std::uint64_t address);

}  // namespace rdmafault::callers

#endif  // SHIM_CALLERS_H
