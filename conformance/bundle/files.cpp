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

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

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

std::optional<std::string> read_plain_file(const fs::path& file, size_t most) {
  // Without O_NONBLOCK opening a pipe would wait for somebody to write.
  const Descriptor fd(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (fd.get() < 0 && errno == ENOENT) return std::nullopt;
  if (fd.get() < 0 && errno == ELOOP) refuse(file, "is a link; name the file itself");
  if (fd.get() < 0) cannot("read", file);
  struct stat status {};
  if (fstat(fd.get(), &status) != 0) cannot("read", file);
  if (!S_ISREG(status.st_mode)) refuse(file, "is no plain file");
  std::string content;
  std::string buffer(size_t{1} << 16, '\0');
  for (;;) {
    const ssize_t more = read(fd.get(), buffer.data(), buffer.size());
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) cannot("read", file);
    if (more == 0) return content;
    // As it is read: the size that it claims may be another.
    if (content.size() + static_cast<size_t>(more) > most)
      refuse(file, fmt::format("is larger than {} KiB", most >> 10));
    content.append(buffer, 0, static_cast<size_t>(more));
  }
}

std::string need_plain_file(const fs::path& file, const std::string& what, size_t most) {
  std::optional<std::string> content = read_plain_file(file, most);
  if (!content) throw SetupError(fmt::format("there is no {} {}", what, file.string()));
  return *std::move(content);
}

void write_new_file(const fs::path& file, const std::string& content, bool replace) {
  struct stat status {};
  if (lstat(file.c_str(), &status) == 0) {
    if (!S_ISREG(status.st_mode)) refuse(file, "is no plain file; name another with -o FILE");
    if (!replace) refuse(file, "is there already; name another with -o FILE, or replace it with --force");
  }
  HalfFile half(file);
  half.write(content, file);
  half.name(file);
}

}  // namespace conformance
