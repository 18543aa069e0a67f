// SPDX-License-Identifier: BSD-3-Clause
//
// Copies the program's memory through the kernel.
#include "shim/memory.h"

#include <sys/syscall.h>
#include <sys/uio.h>

#include <climits>
#include <cstring>

#include "shim/gate.h"
#include "shim/session.h"

namespace rdmafault::memory {
namespace {

bool copy(long number, std::int64_t address, void* local_bytes, std::size_t size) {
  const iovec local = {local_bytes, size};
  const iovec remote = {reinterpret_cast<void*>(address), size};
  return call_kernel(number, thread.id, as_arg(&local), 1, as_arg(&remote), 1, 0) ==
         static_cast<std::int64_t>(size);
}

}  // namespace

bool read(std::int64_t address, void* to, std::size_t size) {
  return copy(SYS_process_vm_readv, address, to, size);
}

bool write(std::int64_t address, const void* from, std::size_t size) {
  return copy(SYS_process_vm_writev, address, const_cast<void*>(from), size);
}

void read_end(std::int64_t address, std::span<char> to) {
  // Read in parts that do not cross a page: the next page may not be mapped.
  constexpr std::size_t kPart = 256;
  char bytes[kPart];
  const std::size_t most = to.size() - 1;
  std::size_t kept = 0;
  std::size_t whole = 0;
  to[0] = '\0';
  while (address != 0 && whole < PATH_MAX) {
    const std::size_t size = kPart - static_cast<std::size_t>(address) % kPart;
    if (!read(address, bytes, size)) break;
    const std::size_t length = strnlen(bytes, size);
    const std::size_t taken = length < most ? length : most;
    const std::size_t stays = kept < most - taken ? kept : most - taken;
    std::memmove(to.data(), to.data() + (kept - stays), stays);
    std::memcpy(to.data() + stays, bytes + (length - taken), taken);
    kept = stays + taken;
    to[kept] = '\0';
    if (length < size) return;
    whole += size;
    address += static_cast<std::int64_t>(size);
  }
  to[0] = '\0';
}

}  // namespace rdmafault::memory
