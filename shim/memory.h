// SPDX-License-Identifier: BSD-3-Clause
//
// The program's memory as a system call's arguments point to it: where they point nowhere, the answer is no,
// and not a crash. The kernel copies (process_vm_readv).
#ifndef SHIM_MEMORY_H
#define SHIM_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace rdmafault::memory {

// `size` bytes from `address`, all or (false) an unknown part of them.
bool read(std::int64_t address, void* to, std::size_t size);
bool write(std::int64_t address, const void* from, std::size_t size);

// Fills `to` with the end of the string at `address`, as much as fits with its NUL; "" where there is none.
void read_end(std::int64_t address, std::span<char> to);

}  // namespace rdmafault::memory

#endif  // SHIM_MEMORY_H
