// SPDX-License-Identifier: BSD-3-Clause
// What every exported function does around its work.
#pragma once

#include <cerrno>
#include <utility>

#include "mocks/reporter.h"
#include "shim/rdmafault.h"

// Null where the shim is not loaded.
#pragma weak rdmafault_suspend
#pragma weak rdmafault_resume

namespace rdmamock {

// Suspends the thread's shim rules while it exists: GoogleMock and the fake allocate. Keeps errno.
class Suspended {
 public:
  Suspended() {
    const int saved = errno;
    if (rdmafault_suspend != nullptr) rdmafault_suspend();
    errno = saved;
  }
  ~Suspended() {
    const int saved = errno;
    if (rdmafault_resume != nullptr) rdmafault_resume();
    errno = saved;
  }
  Suspended(const Suspended&) = delete;
  Suspended& operator=(const Suspended&) = delete;
};

// Run `work` with the rules suspended. An exception is reported; `failure` is returned with errno ENOMEM or
// EIO.
template <typename R, typename F>
R enter(R failure, F&& work) noexcept {
  const Suspended suspended;
  try {
    return std::forward<F>(work)();
  } catch (...) {
    report_exception();
    return failure;
  }
}

template <typename F>
void enter(F&& work) noexcept {
  enter(0, [&work] {
    work();
    return 0;
  });
}

}  // namespace rdmamock
