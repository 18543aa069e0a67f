// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

#include "conformance/report/document.h"

namespace conformance {
namespace {

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;
using Writer = std::unique_ptr<archive, decltype(&archive_write_free)>;
using Entry = std::unique_ptr<archive_entry, decltype(&archive_entry_free)>;
using Compressor = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;

constexpr int kLevel = 19;
constexpr size_t kBlock = 512;  // of a tar

// A foreign name, for a message.
std::string name_shown(const char* name) {
  constexpr size_t kMostShown = 60;
  return name == nullptr ? "without a name" : fmt::format("'{}'", as_one_line(name, kMostShown));
}

ssize_t append(archive*, void* target, const void* bytes, size_t size) {
  static_cast<std::string*>(target)->append(static_cast<const char*>(bytes), size);
  return static_cast<ssize_t>(size);
}

void need(bool worked, archive* of) {
  if (!worked) throw std::runtime_error(fmt::format("cannot pack: {}", archive_error_string(of)));
}

// Empty, or why an entry is refused.
std::string objection_to(archive* reader, archive_entry* entry, std::span<const std::string_view> names,
                         const Limits& limits) {
  const char* name = archive_entry_pathname(entry);
  if (archive_format(reader) != ARCHIVE_FORMAT_TAR_USTAR) return "is not in ustar format";
  if (name == nullptr || std::ranges::find(names, std::string_view(name)) == names.end())
    return "does not belong in a bundle";
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_symlink(entry) != nullptr) return "is a link";
  if (archive_entry_filetype(entry) != AE_IFREG) return "is not a regular file";
  if (archive_entry_sparse_count(entry) != 0) return "has holes";
  if (archive_entry_size_is_set(entry) == 0 || archive_entry_size(entry) < 0) return "has no size";
  if (static_cast<uint64_t>(archive_entry_size(entry)) > limits.member)
    return fmt::format("is larger than {} MiB", limits.member >> 20);
  return {};
}

std::string content_of(archive* reader, archive_entry* entry) {
  std::string content(static_cast<size_t>(archive_entry_size(entry)), '\0');
  size_t read = 0;
  while (read < content.size()) {
    const la_ssize_t more = archive_read_data(reader, content.data() + read, content.size() - read);
    if (more <= 0) throw BadArchive(fmt::format("{} is cut off", name_shown(archive_entry_pathname(entry))));
    read += static_cast<size_t>(more);
  }
  return content;
}

}  // namespace

Packer packer() {
  const int number = archive_version_number();  // 3006002
  return {fmt::format("{}.{}.{}", number / 1000000, number / 1000 % 1000, number % 1000),
          ZSTD_versionString()};
}

std::string pack_tar(const Members& members) {
  std::string tar;
  const Writer writer(archive_write_new(), archive_write_free);
  need(archive_write_set_format_ustar(writer.get()) == ARCHIVE_OK, writer.get());
  // Otherwise the end is padded to a block of a tape.
  need(archive_write_set_bytes_in_last_block(writer.get(), 1) == ARCHIVE_OK, writer.get());
  need(archive_write_open(writer.get(), &tar, nullptr, append, nullptr) == ARCHIVE_OK, writer.get());
  for (const auto& [name, content] : members) {
    const Entry entry(archive_entry_new(), archive_entry_free);
    archive_entry_set_pathname(entry.get(), name.c_str());
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_perm(entry.get(), 0644);
    archive_entry_set_size(entry.get(), static_cast<la_int64_t>(content.size()));
    archive_entry_set_uid(entry.get(), 0);
    archive_entry_set_gid(entry.get(), 0);
    archive_entry_set_mtime(entry.get(), 0, 0);
    need(archive_write_header(writer.get(), entry.get()) == ARCHIVE_OK, writer.get());
    const la_ssize_t written = archive_write_data(writer.get(), content.data(), content.size());
    need(written == static_cast<la_ssize_t>(content.size()), writer.get());
  }
  need(archive_write_close(writer.get()) == ARCHIVE_OK, writer.get());
  return tar;
}

std::string compress(std::string_view tar) {
  const Compressor compressor(ZSTD_createCCtx(), ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(compressor.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(compressor.get(), ZSTD_c_checksumFlag, 1);
  std::string archive(ZSTD_compressBound(tar.size()), '\0');
  const size_t size =
      ZSTD_compress2(compressor.get(), archive.data(), archive.size(), tar.data(), tar.size());
  if (ZSTD_isError(size) != 0)
    throw std::runtime_error(fmt::format("cannot compress: {}", ZSTD_getErrorName(size)));
  archive.resize(size);
  return archive;
}

std::string decompress(std::string_view archive, const Limits& limits) {
  if (archive.size() > limits.archive)
    throw BadArchive(fmt::format("larger than {} MiB", limits.archive >> 20));
  constexpr uint32_t kMagic = ZSTD_MAGICNUMBER;
  // Skippable frames have another magic number.
  if (archive.size() < sizeof(kMagic) || std::memcmp(archive.data(), &kMagic, sizeof(kMagic)) != 0)
    throw BadArchive("not compressed by zstd");
  const size_t frame = ZSTD_findFrameCompressedSize(archive.data(), archive.size());
  if (ZSTD_isError(frame) != 0) throw BadArchive("the compressed data is damaged or cut off");
  if (frame != archive.size())
    throw BadArchive(fmt::format("{} bytes follow the compressed data", archive.size() - frame));
  const unsigned long long size = ZSTD_getFrameContentSize(archive.data(), archive.size());
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size == ZSTD_CONTENTSIZE_ERROR)
    throw BadArchive("the compressed data has no size");
  if (size > limits.tar) throw BadArchive(fmt::format("the content is larger than {} MiB", limits.tar >> 20));
  std::string tar(static_cast<size_t>(size), '\0');
  const size_t got = ZSTD_decompress(tar.data(), tar.size(), archive.data(), archive.size());
  if (ZSTD_isError(got) != 0)
    throw BadArchive(fmt::format("the compressed data is damaged: {}", ZSTD_getErrorName(got)));
  tar.resize(got);
  return tar;
}

Members unpack_tar(std::string_view tar, std::span<const std::string_view> names, const Limits& limits) {
  if (tar.size() > limits.tar) throw BadArchive(fmt::format("larger than {} MiB", limits.tar >> 20));
  if (tar.size() < kBlock) throw BadArchive("the content is not a tar");
  const Reader reader(archive_read_new(), archive_read_free);
  archive_read_support_format_tar(reader.get());
  if (archive_read_open_memory(reader.get(), tar.data(), tar.size()) != ARCHIVE_OK)
    throw BadArchive("the content is not a tar");
  Members members;
  for (;;) {
    archive_entry* entry = nullptr;
    const int status = archive_read_next_header(reader.get(), &entry);
    if (status == ARCHIVE_EOF) break;
    if (status != ARCHIVE_OK) throw BadArchive("the tar is damaged");
    const char* name = archive_entry_pathname(entry);
    if (const std::string objection = objection_to(reader.get(), entry, names, limits); !objection.empty())
      throw BadArchive(fmt::format("entry {} {}", name_shown(name), objection));
    if (members.contains(name)) throw BadArchive(fmt::format("entry {} is there twice", name_shown(name)));
    members[name] = content_of(reader.get(), entry);
  }
  if (pack_tar(members) != tar)
    throw BadArchive("not packed by this suite: order, owner, time, mode or padding of the tar differ");
  return members;
}

}  // namespace conformance
