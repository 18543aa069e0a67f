// SPDX-License-Identifier: BSD-3-Clause
//
// Finds a system call's caller by unwinding from the SIGSYS handler.
#include "shim/callers.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/auxv.h>

#include <algorithm>
#include <atomic>
#include <iterator>

#include "shim/intercept.h"
#include "shim/objects.h"

namespace rdmafault::callers {
namespace {

struct Range {
  std::atomic<std::uint64_t> begin = 0;
  std::atomic<std::uint64_t> end = 0;
};

// libc, the loader, the vDSO. They never change, so writing them again does no harm.
constinit Range ranges[3];
constinit Snapshot snapshot;  // of the loaded objects, if libc lacks _dl_find_object()
constinit std::atomic<bool> is_ready = false;

bool is_system(std::uint64_t return_address) {
  const std::uint64_t address = return_address - 1;  // the call's own
  if (address >= as_handle(&__ehdr_start) && address < as_handle(&etext)) return true;
  return std::any_of(std::begin(ranges), std::end(ranges), [address](const Range& range) {
    return address >= range.begin.load(std::memory_order_relaxed) &&
           address < range.end.load(std::memory_order_relaxed);
  });
}

// Looks at `most` frames. 0: all of them are in system code.
template <std::size_t most>
std::uint64_t find_within() {
  void* frames[most];
  const int count = backtrace(frames, static_cast<int>(most));
  for (int i = 0; i < count; ++i) {
    const std::uint64_t address = as_handle(frames[i]);
    if (!is_system(address)) return address;
  }
  return 0;
}

}  // namespace

void initialise() {
  if (is_ready.load(std::memory_order_acquire)) return;
  void* frames[4];
  backtrace(frames, 4);
  if (objects::need_snapshot()) snapshot.take();
  const std::uint64_t within[] = {as_handle(dlsym(RTLD_DEFAULT, "gnu_get_libc_version")),
                                  as_handle(dlsym(RTLD_DEFAULT, "__tls_get_addr")),
                                  getauxval(AT_SYSINFO_EHDR)};
  for (std::size_t i = 0; i < 3; ++i) {
    Object object;
    if (within[i] == 0 || !objects::find(within[i], snapshot, object)) continue;
    ranges[i].begin.store(object.start, std::memory_order_relaxed);
    ranges[i].end.store(object.end, std::memory_order_relaxed);
  }
  is_ready.store(true, std::memory_order_release);
}

std::uint64_t find(std::uint64_t address) {
  if (!is_system(address)) return address;
  // Each frame costs time, and most callers are near.
  if (const std::uint64_t near = find_within<16>()) return near;
  const std::uint64_t far = find_within<64>();
  return far != 0 ? far : address;
}

}  // namespace rdmafault::callers
