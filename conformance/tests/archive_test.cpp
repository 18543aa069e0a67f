// SPDX-License-Identifier: BSD-3-Clause
//
// The container: the same input gives the same bytes, and nothing but what was packed so is unpacked.
#include "conformance/bundle/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <zstd.h>

#include <array>
#include <functional>
#include <ostream>
#include <vector>

namespace conformance {
namespace {

using testing::HasSubstr;

constexpr std::array<std::string_view, 3> kNames = {"a.json", "b.json", "SHA256SUMS"};
const Members kMembers = {{"a.json", "{\"a\": 1}\n"}, {"b.json", std::string(3000, 'b')}, {"SHA256SUMS", ""}};

Members unpack(std::string_view archive, const Limits& limits = {}) {
  return unpack_tar(decompress(archive, limits), kNames, limits);
}

std::string why_bad(const std::function<void()>& act) {
  try {
    act();
  } catch (const BadArchive& error) {
    return error.what();
  }
  return "accepted";
}

// A tar as others make it: any format, any kind of entry.
struct Foreign {
  int format = ARCHIVE_FORMAT_TAR_USTAR;
  std::string name = "a.json";
  mode_t type = AE_IFREG;
  std::string link = {};
  bool hard = false;
  std::string content = {};
  mode_t mode = 0644;
  time_t time = 0;
  long nanoseconds = 0;
  int owner = 0;
  bool sparse = false;
};

std::string tar_of(const std::vector<Foreign>& entries) {
  std::string buffer(1 << 20, '\0');
  size_t used = 0;
  archive* writer = archive_write_new();
  archive_write_set_format(writer, entries.front().format);
  archive_write_set_bytes_in_last_block(writer, 1);
  archive_write_open_memory(writer, buffer.data(), buffer.size(), &used);
  for (const Foreign& one : entries) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, one.name.c_str());
    archive_entry_set_filetype(entry, one.type);
    archive_entry_set_perm(entry, one.mode);
    archive_entry_set_mtime(entry, one.time, one.nanoseconds);
    archive_entry_set_uid(entry, one.owner);
    archive_entry_set_size(entry, static_cast<la_int64_t>(one.content.size()));
    if (one.hard) archive_entry_set_hardlink(entry, one.link.c_str());
    if (!one.hard && !one.link.empty()) archive_entry_set_symlink(entry, one.link.c_str());
    if (one.type == AE_IFCHR) archive_entry_set_rdev(entry, makedev(1, 5));
    if (one.sparse) archive_entry_sparse_add_entry(entry, 0, 1);
    archive_write_header(writer, entry);
    archive_write_data(writer, one.content.data(), one.content.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
  buffer.resize(used);
  return buffer;
}

std::string why_bad(const std::vector<Foreign>& entries) {
  return why_bad([&entries] { unpack(compress(tar_of(entries))); });
}

TEST(Archive, GivesBackWhatWasPackedAndTheSameBytesEachTime) {
  const std::string packed = compress(pack_tar(kMembers));
  EXPECT_EQ(unpack(packed), kMembers);
  EXPECT_EQ(compress(pack_tar(unpack(packed))), packed);
}

TEST(Archive, IsATarWithoutOwnerAndTime) {
  const std::string tar = pack_tar({{"a.json", "x"}});
  ASSERT_EQ(tar.size(), 4U * 512);
  EXPECT_EQ(tar.substr(100, 7), "000644 ");
  EXPECT_EQ(tar.substr(108, 6), "000000");        // uid
  EXPECT_EQ(tar.substr(136, 11), "00000000000");  // mtime
  EXPECT_EQ(tar.substr(257, 5), "ustar");
  EXPECT_EQ(tar.substr(265, 32), std::string(32, '\0')) << "its owner";  // uname
}

struct HostileRow {
  const char* name;
  Foreign entry;
  const char* says;
};
void PrintTo(const HostileRow& row, std::ostream* stream) {
  *stream << row.name;
}

class Hostile : public testing::TestWithParam<HostileRow> {};

TEST_P(Hostile, EntryIsRefused) {
  EXPECT_THAT(why_bad({GetParam().entry}), HasSubstr(GetParam().says));
}

const HostileRow kHostile[] = {
    {"Traversal", {.name = "../a.json"}, "'../a.json'"},
    {"TraversalBelow", {.name = "x/../../a.json"}, "entry"},
    {"Absolute", {.name = "/etc/passwd"}, "entry"},
    {"Dotted", {.name = "./a.json"}, "entry"},
    {"Unknown", {.name = "c.json"}, "'c.json'"},
    {"ControlCharacters", {.name = "a\n\x1b[2J"}, R"('a\x0a\x1b[2J')"},
    {"Folder", {.name = "a.json", .type = AE_IFDIR}, "entry"},
    {"Symlink", {.type = AE_IFLNK, .link = "/etc/passwd"}, "link"},
    {"Hardlink", {.link = "/etc/passwd", .hard = true}, "link"},
    {"Device", {.type = AE_IFCHR}, "regular file"},
    {"Pipe", {.type = AE_IFIFO}, "regular file"},
    {"Pax", {.format = ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, .content = "x", .nanoseconds = 1}, "ustar"},
    {"Gnu", {.format = ARCHIVE_FORMAT_TAR_GNUTAR, .content = "x"}, "ustar"},
    {"Cpio", {.format = ARCHIVE_FORMAT_CPIO_SVR4_NOCRC, .content = std::string(600, 'x')}, "tar"},
    {"Sparse",
     {.format = ARCHIVE_FORMAT_TAR_PAX_INTERCHANGE, .content = std::string(9000, 'x'), .sparse = true},
     "ustar"},
    {"OtherMode", {.mode = 0755}, "padding"},
    {"SetUserId", {.mode = 04755}, "padding"},
    {"OtherTime", {.time = 1}, "padding"},
    {"OtherOwner", {.owner = 1000}, "padding"},
};
INSTANTIATE_TEST_SUITE_P(Tar, Hostile, testing::ValuesIn(kHostile),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Archive, OtherOrderIsRefused) {
  EXPECT_THAT(why_bad({{.name = "b.json"}, {.name = "a.json"}}), HasSubstr("padding"));
}

TEST(Archive, AnEntryTwiceIsRefused) {
  EXPECT_THAT(why_bad({{.content = "x"}, {.content = "y"}}), HasSubstr("'a.json'"));
}

TEST(Archive, EveryFlippedByteOfTheTarIsNoticed) {
  const std::string tar = pack_tar(kMembers);
  for (size_t at = 0; at < tar.size(); ++at) {
    std::string flipped = tar;
    flipped[at] = static_cast<char>(flipped[at] ^ 0x20);
    Members other;
    // In a content it is for the sums to notice.
    if (why_bad([&] { other = unpack_tar(flipped, kNames, {}); }) != "accepted") continue;
    EXPECT_NE(other, kMembers) << "byte " << at;
  }
}

TEST(Archive, TruncatedAnywhereIsRefused) {
  const std::string tar = pack_tar(kMembers);
  for (size_t size = 0; size < tar.size(); size += 64)
    EXPECT_NE(why_bad([&] { unpack_tar(tar.substr(0, size), kNames, {}); }), "accepted") << size;
  const std::string packed = compress(tar);
  for (size_t size = 0; size < packed.size(); ++size)
    EXPECT_NE(why_bad([&] { unpack(packed.substr(0, size)); }), "accepted") << size;
}

TEST(Archive, WhatFollowsIsRefused) {
  const std::string packed = compress(pack_tar(kMembers));
  EXPECT_THAT(why_bad([&] { unpack(packed + "x"); }), HasSubstr("1 bytes"));
  EXPECT_THAT(why_bad([&] { unpack(packed + packed); }), HasSubstr("bytes"));
  EXPECT_THAT(why_bad([&] { unpack(compress(pack_tar(kMembers) + std::string(512, '\0'))); }),
              HasSubstr("padding"));
  EXPECT_THAT(why_bad([&] { unpack(compress(pack_tar(kMembers) + pack_tar(kMembers))); }),
              HasSubstr("padding"));
}

TEST(Archive, FramesThatAreSkippedAreRefused) {
  const std::string skipped("\x50\x2a\x4d\x18\x01\x00\x00\x00x", 9);
  EXPECT_THAT(why_bad([&] { unpack(skipped + compress(pack_tar(kMembers))); }), HasSubstr("zstd"));
}

TEST(Archive, OtherCompressionAndGarbageAreRefused) {
  using namespace std::string_literals;
  EXPECT_THAT(why_bad([] { unpack(pack_tar(kMembers)); }), HasSubstr("zstd"));
  for (const std::string& start :
       {""s, "x"s, "\x1f\x8b\x08\x00\x00\x00"s, "\xfd"s + "7zXZ\0"s, "PK\x03\x04"s})
    EXPECT_THAT(why_bad([&] { unpack(start + std::string(start.empty() ? 0 : 99, 'x')); }),
                HasSubstr("zstd"));
  EXPECT_THAT(why_bad([] { unpack(compress(std::string(5000, 'x'))); }), HasSubstr("tar"));
  EXPECT_THAT(why_bad([] { unpack(compress("x")); }), HasSubstr("tar"));
}

TEST(Archive, BombsStopEarly) {
  Limits limits;
  limits.tar = size_t{1} << 20;
  const std::string bomb = compress(std::string(64 << 20, '\0'));
  EXPECT_LT(bomb.size(), 20000U);
  EXPECT_THAT(why_bad([&] { unpack(bomb, limits); }), HasSubstr("1 MiB"));
  // A stream, without a size.
  std::string stream(1 << 16, '\0');
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, 0);
  const std::string zeroes(1 << 20, '\0');
  stream.resize(ZSTD_compress2(context, stream.data(), stream.size(), zeroes.data(), zeroes.size()));
  ZSTD_freeCCtx(context);
  EXPECT_THAT(why_bad([&] { unpack(stream, limits); }), HasSubstr("no size"));
}

TEST(Archive, LimitsHold) {
  const std::string packed = compress(pack_tar(kMembers));
  Limits limits;
  limits.archive = packed.size() - 1;
  EXPECT_THAT(why_bad([&] { unpack(packed, limits); }), HasSubstr("larger"));
  limits = {};
  limits.member = 2999;
  EXPECT_THAT(why_bad([&] { unpack(packed, limits); }), HasSubstr("'b.json'"));
}

// A size in the header that is not true.
TEST(Archive, ALyingSizeIsRefused) {
  const std::string packed = compress(pack_tar(kMembers));
  std::string lying = packed;
  // Single segment: the content's size follows the descriptor.
  lying[5] = static_cast<char>(lying[5] + 1);
  EXPECT_THAT(why_bad([&] { unpack(lying); }), HasSubstr("damaged"));
}

}  // namespace
}  // namespace conformance
