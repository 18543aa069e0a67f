// SPDX-License-Identifier: BSD-3-Clause
//
// The bootstrap arena: memory for what dlsym() allocates while the shim is looking for the next allocator.
// Its blocks are never reused, so free() and realloc() can recognise them for ever by their address.
#ifndef SHIM_ARENA_H
#define SHIM_ARENA_H

#include <cstddef>
#include <cstdint>

namespace rdmafault::arena {

inline constexpr std::size_t kSize = 16384;

struct alignas(16) Memory {
  unsigned char bytes[kSize];
};
[[gnu::visibility(
    "hidden")]] extern constinit Memory memory;  // NOLINT(bugprone-dynamic-static-initializers): constinit

// A zeroed block, aligned to 16, or nullptr where the arena is used up.
void* allocate(std::size_t size);

// Whether `block` came from here.
inline bool owns(const void* block) {
  return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(memory.bytes) < kSize;
}

// The size that the block was asked for with.
std::size_t size_of(const void* block);

}  // namespace rdmafault::arena

#endif  // SHIM_ARENA_H
