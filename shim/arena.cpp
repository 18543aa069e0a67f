// SPDX-License-Identifier: BSD-3-Clause
//
// The bootstrap arena: a pointer that moves forward. Each block is preceded by its size.
#include "shim/arena.h"

#include <atomic>
#include <cstring>

namespace rdmafault::arena {

constinit Memory memory = {};

namespace {

constexpr std::size_t kAlignment = alignof(Memory);
constinit std::atomic<std::size_t> used = 0;

}  // namespace

void* allocate(std::size_t size) {
  if (size > kSize) return nullptr;
  const std::size_t whole = kAlignment + (size + kAlignment - 1) / kAlignment * kAlignment;
  std::size_t at = used.load(std::memory_order_relaxed);
  do {
    if (whole > kSize - at) return nullptr;
  } while (!used.compare_exchange_weak(at, at + whole, std::memory_order_relaxed));
  std::memcpy(memory.bytes + at, &size, sizeof(size));
  return memory.bytes + at + kAlignment;
}

std::size_t size_of(const void* block) {
  std::size_t size = 0;
  std::memcpy(&size, static_cast<const unsigned char*>(block) - kAlignment, sizeof(size));
  return size;
}

}  // namespace rdmafault::arena
