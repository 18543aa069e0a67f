// SPDX-License-Identifier: BSD-3-Clause
//
// A folder that is removed with its object.
#pragma once

#include <filesystem>
#include <string_view>

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

  // Whether a temporary folder can have this name.
  static bool is_name(std::string_view name);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace conformance
