// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <system_error>

#include "conformance/harness/library.h"
#include "conformance/report/half_file.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_file(const fs::path& file, const std::string& why) {
  throw SetupError(fmt::format("{} {}", file.string(), why));
}

}  // namespace

void write_new_file(const fs::path& file, const std::string& content, bool replace) {
  struct stat status {};
  if (lstat(file.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) refuse_file(file, "is not a regular file; name another with -o FILE");
    if (!replace) refuse_file(file, "exists; name another with -o FILE, or replace it with --force");
  }
  try {
    HalfFile half(file);
    half.write(content);
    half.sync();
    half.name();
  } catch (const std::system_error& error) {
    refuse_to_write(file, error.code().message(), kOtherOutput);
  }
}

}  // namespace conformance
