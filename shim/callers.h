// SPDX-License-Identifier: BSD-3-Clause
//
// Who made a system call: the innermost code that is not the system's own.
#ifndef SHIM_CALLERS_H
#define SHIM_CALLERS_H

#include <cstdint>

namespace rdmafault::callers {

// Makes unwinding ready, which allocates the first time, and finds the system's own code. Before anybody is
// armed.
void initialise();

// The innermost return address, of the functions under way, outside libc, the loader, the vDSO and the shim;
// `address`, where the system call was made, if there is none.
std::uint64_t find(std::uint64_t address);

}  // namespace rdmafault::callers

#endif  // SHIM_CALLERS_H
