// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "conformance/harness/library.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw SetupError(fmt::format("{} {}", file.string(), why));
}

[[noreturn]] void cannot(const std::string& what, const fs::path& file) {
  throw SetupError(fmt::format("cannot {} {}: {}", what, file.string(), std::strerror(errno)));
}

// Removed again unless it was given its name.
class HalfFile {
 public:
  explicit HalfFile(const fs::path& target) : path_(target.string() + ".XXXXXX") {
    fd_ = mkostemp(path_.data(), O_CLOEXEC);
    if (fd_ < 0) cannot("write beside", target);
  }
  ~HalfFile() {
    if (fd_ >= 0) close(fd_);
    if (!path_.empty()) unlink(path_.c_str());
  }
  HalfFile(const HalfFile&) = delete;
  HalfFile& operator=(const HalfFile&) = delete;
  HalfFile(HalfFile&&) = delete;
  HalfFile& operator=(HalfFile&&) = delete;

  void write(const std::string& content, const fs::path& target) const {
    for (size_t written = 0; written < content.size();) {
      const ssize_t more = ::write(fd_, content.data() + written, content.size() - written);
      if (more < 0 && errno == EINTR) continue;
      if (more <= 0) cannot("write", target);
      written += static_cast<size_t>(more);
    }
    const mode_t mask = umask(0);
    umask(mask);
    if (fchmod(fd_, 0666 & ~mask) != 0 || fsync(fd_) != 0) cannot("write", target);
  }
  void name(const fs::path& target) {
    if (rename(path_.c_str(), target.c_str()) != 0) cannot("write", target);
    path_.clear();
  }

 private:
  std::string path_;
  int fd_ = -1;
};

}  // namespace

void write_new_file(const fs::path& file, const std::string& content, bool replace) {
  struct stat status {};
  if (lstat(file.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) refuse(file, "is no regular file; name another with -o FILE");
    if (!replace) refuse(file, "is there already; name another with -o FILE, or replace it with --force");
  }
  HalfFile half(file);
  half.write(content, file);
  half.name(file);
}

}  // namespace conformance
