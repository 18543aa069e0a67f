// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>

#include "conformance/harness/library.h"

namespace conformance {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : fd_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  // Some file systems (9p) have no locks; the run goes on without.
  if (fd_ < 0 || flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  close(fd_);
  throw SetupError(fmt::format("another run writes to {}; wait for it, or name another folder with --report",
                               folder.string()));
}

FolderLock::~FolderLock() {
  if (fd_ >= 0) close(fd_);
}

}  // namespace conformance
