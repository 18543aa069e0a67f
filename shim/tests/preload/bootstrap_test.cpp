// SPDX-License-Identifier: BSD-3-Clause
//
// The earliest calls: before the shim's constructor, and while dlsym() allocates.
//
// This program defines dlsym(), and its dlsym() allocates, as some libcs' do. The shim's lookups call it.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "preload_test.h"

namespace {

constexpr size_t kStash = 256;
void* volatile stash[kStash];
size_t stashed = 0;
bool busy = false;

void* early_blocks[3];
bool early_good = false;

// Runs before any constructor.
void allocate_early(int /*argc*/, char** /*argv*/, char** /*environment*/) {
  void* const plain = malloc(100);
  void* const zeroed = calloc(10, 10);
  early_good = plain != nullptr && zeroed != nullptr && static_cast<char*>(zeroed)[99] == 0;
  if (!early_good) std::abort();
  std::memset(plain, 'x', 100);
  early_blocks[0] = realloc(plain, 5000);
  early_blocks[1] = zeroed;
  early_blocks[2] = aligned_alloc(64, 64);
  free(malloc(1));
}

[[gnu::section(".preinit_array"), gnu::used]] void (*const first)(int, char**, char**) = allocate_early;

}  // namespace

extern "C" [[gnu::visibility("default")]] void* dlsym(void* handle, const char* name) noexcept {
  using Dlsym = void* (*)(void*, const char*);
  static Dlsym real = nullptr;
  if (real == nullptr) real = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"));
  if (handle != RTLD_NEXT || busy) return real(handle, name);
  busy = true;
  auto* const block = static_cast<char*>(calloc(1, 32));
  if (block != nullptr && stashed < kStash) {
    std::memcpy(block, "kept", sizeof("kept"));
    stash[stashed++] = block;
  } else {
    free(block);
  }
  free(malloc(8));
  void* const grown = realloc(malloc(8), 16);
  free(grown);
  // RTLD_NEXT would mean next after this program.
  void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
  void* found = real(libc, name);
  dlclose(libc);
  if (found == nullptr) {
    void* const toy = dlopen("libtoy_rdmacm.so", RTLD_LAZY | RTLD_NOLOAD);
    if (toy != nullptr) found = real(toy, name);
  }
  busy = false;
  return found;
}

namespace {

using Bootstrap = Preloaded;

TEST_F(Bootstrap, AllocationsBeforeAnyConstructorWork) {
  EXPECT_TRUE(early_good);
  ASSERT_NE(nullptr, early_blocks[0]);
  EXPECT_EQ('x', static_cast<char*>(early_blocks[0])[99]);
  for (void*& block : early_blocks) free(block);
}

TEST_F(Bootstrap, BlocksOfDlsymCanBeFreedAndGrown) {
  ASSERT_GE(stashed, 8U) << "the shim does not call this dlsym";
  Dl_info info = {};
  ASSERT_NE(0, dladdr(stash[0], &info));
  ASSERT_NE(nullptr, std::strstr(info.dli_fname, "librdmafault.so")) << "the block is not from the arena";
  const Log log;
  Session session(log, {"realloc:error=ENOMEM:when=1"});
  for (size_t i = 0; i < 3; ++i) EXPECT_STREQ("kept", static_cast<char*>(stash[i]));
  auto* const grown = static_cast<char*>(realloc(stash[0], 100000));
  ASSERT_NE(nullptr, grown);
  EXPECT_NE(stash[0], grown);
  EXPECT_STREQ("kept", grown);
  auto* const array = static_cast<char*>(reallocarray(stash[1], 100, 100));
  ASSERT_NE(nullptr, array);
  EXPECT_STREQ("kept", array);
  EXPECT_EQ(nullptr, reallocarray(stash[1], SIZE_MAX, 2));

  ASSERT_EQ(0, session.arm());
  void* const failed = realloc(stash[2], 64);
  void* const moved = realloc(stash[2], 64);
  free(stash[2]);
  shim().disarm();
  EXPECT_EQ(nullptr, failed);
  ASSERT_NE(nullptr, moved);
  EXPECT_STREQ("kept", static_cast<char*>(moved));
  EXPECT_EQ(1U, log.records_of("free").size());
  for (void* block : {static_cast<void*>(grown), static_cast<void*>(array), moved}) free(block);
  for (size_t i = 0; i < 8; ++i) free(stash[i]);
}

}  // namespace
