// SPDX-License-Identifier: BSD-3-Clause
//
// Access to memory through a system call's pointer arguments. The kernel copies (process_vm_readv), so a bad
// pointer gives false, not a crash.
#ifndef SHIM_MEMORY_H
#define SHIM_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace rdmafault::memory {

// Copy `size` bytes from or to `address`. On failure (false) any part of them may have been copied.
bool read(std::int64_t address, void* to, std::size_t size);
bool write(std::int64_t address, const void* from, std::size_t size);

// Fill `to` with the end of the string at `address`, as much as fits with its NUL; "" if it cannot be read.
void read_end(std::int64_t address, std::span<char> to);

}  // namespace rdmafault::memory

#endif  // SHIM_MEMORY_H
