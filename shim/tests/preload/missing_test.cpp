// SPDX-License-Identifier: BSD-3-Clause
//
// A program without librdmacm: no thread can be armed, and a provider call ends the process with a message.
// An error return would look like an injected fault.
#include <dlfcn.h>

#include <cerrno>
#include <csignal>

#include "preload_test.h"

namespace {

using Missing = Preloaded;

TEST_F(Missing, ArmingGivesEnosysAndNamesTheFunction) {
  EXPECT_STREQ("rdma_create_event_channel", shim().missing());
  const Log log;
  Session session(log);
  errno = 0;
  EXPECT_EQ(-1, session.arm());
  EXPECT_EQ(ENOSYS, errno);
}

TEST_F(Missing, AProviderCallAbortsWithAMessage) {
  auto* const listen = reinterpret_cast<int (*)(void*, int)>(dlsym(RTLD_DEFAULT, "rdma_listen"));
  ASSERT_NE(nullptr, listen);
  EXPECT_EXIT(listen(nullptr, 1), testing::KilledBySignal(SIGABRT), "rdma_listen");
}

TEST_F(Missing, ALibraryLoadedLaterIsFound) {
  void* const local = dlopen(TOY_RDMACM, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(nullptr, local) << dlerror();
  EXPECT_STREQ("rdma_create_event_channel", shim().missing()) << "a local library is not in the global scope";
  ASSERT_NE(nullptr, dlopen(TOY_RDMACM, RTLD_NOW | RTLD_GLOBAL)) << dlerror();
  EXPECT_EQ(nullptr, shim().missing());
  const Log log;
  Session session(log);
  EXPECT_EQ(0, session.arm());
  shim().disarm();
}

}  // namespace
