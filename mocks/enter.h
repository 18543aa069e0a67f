// SPDX-License-Identifier: BSD-3-Clause
// The border of the library: what every exported function does around its work.
#pragma once

#include <cerrno>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "mocks/reporter.h"
#include "shim/rdmafault.h"

// Absent where the shim is not loaded.
#pragma weak rdmafault_suspend
#pragma weak rdmafault_resume

namespace rdmamock {

// While this lives, the thread's shim rules do not hold: GoogleMock and the fake allocate. Keeps errno.
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

// Run `work` with the rules suspended. No exception gets out: it is reported, and `failure` returned with
// errno ENOMEM or EIO.
template <typename R, typename F>
R enter(R failure, F&& work) noexcept {
  const Suspended suspended;
  try {
    return std::forward<F>(work)();
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  } catch (const std::exception& e) {
    report(std::string("the mock provider failed: ") + e.what());
    errno = EIO;
  }
  return failure;
}

template <typename F>
void enter(F&& work) noexcept {
  enter(0, [&work] {
    work();
    return 0;
  });
}

}  // namespace rdmamock
