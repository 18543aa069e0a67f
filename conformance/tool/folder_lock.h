// SPDX-License-Identifier: BSD-3-Clause
//
// One run to a report folder: two would write over each other.
#pragma once

#include <filesystem>

namespace conformance {

class FolderLock {
 public:
  // Throws SetupError where another process holds it. It is free once its holder has ended, however it did.
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
