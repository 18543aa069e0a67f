// SPDX-License-Identifier: BSD-3-Clause
//
// A folder that goes with whoever made it.
#pragma once

#include <filesystem>

namespace conformance {

class TemporaryFolder {
 public:
  // Throws SetupError where it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace conformance
