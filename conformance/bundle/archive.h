// SPDX-License-Identifier: BSD-3-Clause
//
// The container of a bundle: a tar of a few files with known names, compressed by zstd. Packing is canonical:
// unpacked files pack to the same bytes again, otherwise another program packed them. Unpacking is in memory
// and trusts nothing.
#pragma once

#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace conformance {

// Name to content; the order of names is the order in the archive.
using Members = std::map<std::string, std::string>;

struct Limits {
  size_t archive = size_t{64} << 20;  // bytes, compressed
  size_t member = size_t{64} << 20;   // bytes of one file
  size_t tar = size_t{256} << 20;     // bytes of all
};

// One clear line on what is wrong with the container.
class BadArchive : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Versions that the bytes of an archive depend on.
struct Packer {
  std::string libarchive;  // version
  std::string libzstd;

  bool operator==(const Packer&) const = default;
};
Packer packer();

// A ustar of regular files with mode 0644, without owner and time; and its compressed form, one zstd frame
// with size and checksum.
std::string pack_tar(const Members& members);
std::string compress(std::string_view tar);

// Back. Both throw BadArchive: decompress() where there is not exactly one frame within the limits,
// unpack_tar() for anything that pack_tar() does not write, or a name that is not in `names`.
std::string decompress(std::string_view archive, const Limits& limits);
Members unpack_tar(std::string_view tar, std::span<const std::string_view> names, const Limits& limits);

}  // namespace conformance
