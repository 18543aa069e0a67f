// SPDX-License-Identifier: BSD-3-Clause
//
// Makes an empty log in the caller's memory.
#include <cstdint>
#include <cstring>

#include "shim/rdmafault.h"

size_t rdmafault_log_size(uint32_t capacity) {
  return sizeof(rdmafault_log) + sizeof(rdmafault_record) * static_cast<size_t>(capacity);
}

rdmafault_log* rdmafault_log_init(void* memory, size_t size) {
  if (memory == nullptr || reinterpret_cast<uintptr_t>(memory) % alignof(rdmafault_log) != 0) return nullptr;
  if (size < rdmafault_log_size(1)) return nullptr;
  size_t capacity = (size - sizeof(rdmafault_log)) / sizeof(rdmafault_record);
  // Counters have 32 bits and must be able to exceed the capacity.
  constexpr size_t kMost = UINT32_MAX / 2;
  if (capacity > kMost) capacity = kMost;
  auto* log = static_cast<rdmafault_log*>(memory);
  std::memset(log, 0, sizeof(rdmafault_log));
  log->abi = RDMAFAULT_ABI;
  log->capacity = static_cast<uint32_t>(capacity);
  return log;
}
