// SPDX-License-Identifier: BSD-3-Clause
//
// Text without a C++ runtime: slices that cannot throw, and a builder for one line in a fixed buffer.
#ifndef SHIM_TEXT_H
#define SHIM_TEXT_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace rdmafault {

// `text` from `begin` on, at most `length` characters. (substr() may throw, which needs the runtime.)
inline std::string_view slice(std::string_view text, std::size_t begin, std::size_t length = SIZE_MAX) {
  if (begin > text.size()) begin = text.size();
  if (length > text.size() - begin) length = text.size() - begin;
  return {text.data() + begin, length};
}

// string_view::starts_with uses substr() too.
inline bool starts_with(std::string_view text, std::string_view start) {
  return slice(text, 0, start.size()) == start;
}

inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Copies as much of `text` as fits, always with a terminating NUL; the rest of `to` stays as it is.
inline void copy_text(std::span<char> to, std::string_view text) {
  const std::size_t length = text.size() < to.size() ? text.size() : to.size() - 1;
  std::memcpy(to.data(), text.data(), length);
  to[length] = '\0';
}

// Builds one line; a line that does not fit ends with "...".
class Line {
 public:
  explicit Line(std::span<char> buffer) : buffer_(buffer) { buffer_[0] = '\0'; }

  Line& operator<<(std::string_view text) {
    if (text.empty()) return *this;
    const std::size_t room = buffer_.size() - 1 - used_;
    const std::size_t length = text.size() < room ? text.size() : room;
    std::memcpy(buffer_.data() + used_, text.data(), length);
    used_ += length;
    buffer_[used_] = '\0';
    constexpr std::string_view kCut = "...";
    if (length < text.size()) std::memcpy(buffer_.data() + used_ - kCut.size(), kCut.data(), kCut.size());
    return *this;
  }

 private:
  std::span<char> buffer_;
  std::size_t used_ = 0;
};

}  // namespace rdmafault

#endif  // SHIM_TEXT_H
