// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are written atomically.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace conformance {

// A temporary file beside its target; removed unless name() renamed it. Throws std::system_error.
class HalfFile {
 public:
  explicit HalfFile(std::filesystem::path target);
  ~HalfFile();
  HalfFile(const HalfFile&) = delete;
  HalfFile& operator=(const HalfFile&) = delete;
  HalfFile(HalfFile&&) = delete;
  HalfFile& operator=(HalfFile&&) = delete;

  void write(std::string_view content) const;
  void sync() const;  // to the disk
  void name();        // replaces the target; a link is replaced, not followed

 private:
  std::filesystem::path target_;
  std::string path_;
  int fd_ = -1;
};

inline constexpr std::string_view kOtherFolder = "make room there, or name another folder with --report DIR";
inline constexpr std::string_view kOtherOutput = "make room there, or name another file with -o FILE";

// Writes a file atomically. Throws SetupError with the reason and the hint.
void write_whole(const std::filesystem::path& file, std::string_view content,
                 std::string_view hint = kOtherFolder);

// "cannot write FILE: WHY; HINT"
[[noreturn]] void refuse_to_write(const std::filesystem::path& file, std::string_view why,
                                  std::string_view hint);

}  // namespace conformance
