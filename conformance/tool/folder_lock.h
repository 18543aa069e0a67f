// SPDX-License-Identifier: BSD-3-Clause
//
// One run at a time in a report folder: two would overwrite each other's files.
#pragma once

#include <filesystem>

namespace conformance {

class FolderLock {
 public:
  // Throws SetupError where another process holds it. The kernel releases it when its holder ends.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  FolderLock(FolderLock&&) = delete;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  int fd_;
};

}  // namespace conformance
