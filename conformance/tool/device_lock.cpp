// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/device_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace conformance {
namespace {

constexpr const char* kLockFile = "/run/lock/rpma-conformance.lock";

}  // namespace

// Without the lock file (no folder, no permission) there is no shared machine to protect.
DeviceLock::DeviceLock(bool disturbs) : fd_(open(kLockFile, O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
  if (fd_ < 0) return;
  const int kind = disturbs ? LOCK_EX : LOCK_SH;
  if (flock(fd_, kind | LOCK_NB) == 0) return;
  fmt::print("waiting for another run that uses a device of this host to end\n");
  std::fflush(stdout);
  while (flock(fd_, kind) != 0 && errno == EINTR) {
  }
}

DeviceLock::~DeviceLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace conformance
