// SPDX-License-Identifier: BSD-3-Clause
//
// The bootstrap arena: memory for what dlsym() allocates while the shim looks up the next allocator. Blocks
// are never reused, so free() and realloc() recognize them by their address.
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

// A zeroed block, aligned to 16, or nullptr if the arena is full.
void* allocate(std::size_t size);

// Whether `block` is in the arena.
inline bool owns(const void* block) {
  return reinterpret_cast<std::uintptr_t>(block) - reinterpret_cast<std::uintptr_t>(memory.bytes) < kSize;
}

// The size that was requested for the block.
std::size_t size_of(const void* block);

}  // namespace rdmafault::arena

#endif  // SHIM_ARENA_H
