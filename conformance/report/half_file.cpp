// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/half_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "conformance/harness/library.h"

namespace conformance {
namespace {

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category());
}

}  // namespace

HalfFile::HalfFile(std::filesystem::path target)
    : target_(std::move(target)), path_(fmt::format("{}.{}.part", target_.string(), getpid())) {
  constexpr mode_t kMode = 0666;  // less what umask takes
  // A link that has this name would lead the content elsewhere, a pipe would wait for its other end.
  unlink(path_.c_str());
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kMode);
  if (fd_ < 0) fail();
}

HalfFile::~HalfFile() {
  if (fd_ >= 0) close(fd_);
  if (!path_.empty()) unlink(path_.c_str());
}

void HalfFile::write(std::string_view content) const {
  while (!content.empty()) {
    const ssize_t written = ::write(fd_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail();
    content.remove_prefix(static_cast<size_t>(written));
  }
}

void HalfFile::sync() const {
  if (fsync(fd_) != 0) fail();
}

void HalfFile::name() {
  // Some file systems report a full disk only here.
  const int closed = close(std::exchange(fd_, -1));
  if (closed != 0 || rename(path_.c_str(), target_.c_str()) != 0) fail();
  path_.clear();
}

void refuse_to_write(const std::filesystem::path& file, std::string_view why, std::string_view hint) {
  throw SetupError(fmt::format("cannot write {}: {}; {}", file.string(), why, hint));
}

void write_whole(const std::filesystem::path& file, std::string_view content, std::string_view hint) {
  try {
    HalfFile half(file);
    half.write(content);
    half.name();
  } catch (const std::system_error& error) {
    refuse_to_write(file, error.code().message(), hint);
  }
}

}  // namespace conformance
