// SPDX-License-Identifier: BSD-3-Clause
//
// The container of a bundle: a tar of few files that are known by name, compressed by zstd. Packing is
// canonical: what was unpacked packs to the same bytes again, or somebody else packed it. Unpacking happens
// in memory alone and trusts nothing that the archive says about itself.
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

// One clear line: what is wrong with the container.
class BadArchive : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What the bytes of an archive depend on, apart from what it holds.
struct Packer {
  std::string libarchive;  // version
  std::string libzstd;

  bool operator==(const Packer&) const = default;
};
Packer packer();

// A ustar of plain files with mode 0644 and no owner and time; the compressed form of it, one zstd frame with
// its size and its checksum.
std::string pack_tar(const Members& members);
std::string compress(std::string_view tar);

// The way back. Both throw BadArchive: decompress() where there is anything but one frame, or where it would
// not fit; unpack_tar() for anything that pack_tar() would not have written, or a name that is not in
// `names`.
std::string decompress(std::string_view archive, const Limits& limits);
Members unpack_tar(std::string_view tar, std::span<const std::string_view> names, const Limits& limits);

}  // namespace conformance
