// SPDX-License-Identifier: BSD-3-Clause
//
// Which module is at fault, for evidence built by hand.
#include "conformance/harness/attribution.h"

#include <cerrno>
#include <initializer_list>
#include <string>
#include <string_view>

#include "conformance/tests/evidence.h"

namespace conformance {
namespace {

Place place_of(const std::string& file) {
  Place place{};
  place.address = 0x7000'1234;
  place.offset = 0x1234;
  file.copy(place.file.data(), place.file.size() - 1);
  return place;
}

class AttributionTest : public EvidenceTest {
 protected:
  AttributionTest() {
    add_role("iut", "libiut.so.0");
    add_role("rdmacm", "librdmacm.so.1");
    add_role("libc", "libc.so.6");
    add_role("harness", "main");
    add_role("harness", "librdmafault.so");
    add_caller("libiut.so.0");
  }

  void stack(std::initializer_list<const char*> files) {
    Observation& seen = evidence_.observation;
    seen.frames = 0;
    for (const char* file : files) seen.frame.at(seen.frames++) = place_of(file);
  }

  // The process ended, or stands, within it.
  void call_under_way(std::string_view name) { call(name).flags = 0; }

  void misuse_the_provider() { call("rdma_destroy_event_channel").released = 0x100; }

  [[nodiscard]] std::string module_hangs() const { return module_that_hangs(library_, evidence_); }
  [[nodiscard]] std::string module_crashed() const { return module_that_crashed(library_, evidence_); }
};

TEST_F(AttributionTest, LibcWaitsForItsCaller) {
  stack({"libc.so.6", "librdmacm.so.1", "librdmafault.so", "libiut.so.0", "main"});
  EXPECT_EQ(module_hangs(), "rdmacm");
  stack({"libc.so.6", "libc.so.6", "libiut.so.0", "main"});
  EXPECT_EQ(module_hangs(), "iut");
}

TEST_F(AttributionTest, InnermostOfTheStackHangs) {
  stack({"libiut.so.0", "librdmacm.so.1", "libiut.so.0", "main"});
  EXPECT_EQ(module_hangs(), "iut");
  stack({"libmlx5-rdmav34.so", "librdmacm.so.1", "libiut.so.0", "main"});
  EXPECT_EQ(module_hangs(), "driver");
}

TEST_F(AttributionTest, StackOfAHangGoesBeforeTheCallThatIsUnderWay) {
  call_under_way("rdma_getaddrinfo");
  stack({"libmlx5-rdmav34.so", "librdmacm.so.1", "librdmafault.so", "libiut.so.0"});
  EXPECT_EQ(module_hangs(), "driver");
}

TEST_F(AttributionTest, StackOfAHangGoesBeforeTheLastSystemCall) {
  stack({"libc.so.6", "libiut.so.0"});
  evidence_.observation.stuck = place_of("librdmacm.so.1");
  EXPECT_EQ(module_hangs(), "iut");
}

TEST_F(AttributionTest, CallThatIsUnderWayHangsWhereTheStackTellsNothing) {
  call_under_way("rdma_getaddrinfo");
  EXPECT_EQ(module_hangs(), "rdmacm");
  stack({"libc.so.6", "main"});
  EXPECT_EQ(module_hangs(), "rdmacm");
}

TEST_F(AttributionTest, LastSystemCallHangsWhereNothingElseTells) {
  EXPECT_EQ(module_hangs(), "iut");
  evidence_.observation.stuck = place_of("librdmacm.so.1");
  EXPECT_EQ(module_hangs(), "rdmacm");
  evidence_.observation.stuck = place_of("libc.so.6");
  EXPECT_EQ(module_hangs(), "iut");
}

TEST_F(AttributionTest, CallThatCameBackDoesNotHang) {
  call("rdma_listen");
  EXPECT_EQ(module_hangs(), "iut");
}

TEST_F(AttributionTest, MisuseOfTheProviderGoesBeforeAll) {
  misuse_the_provider();
  call_under_way("rdma_listen");
  stack({"librdmacm.so.1", "libiut.so.0"});
  EXPECT_EQ(module_hangs(), "iut");
  EXPECT_EQ(module_crashed(), "iut");
}

TEST_F(AttributionTest, InnermostOfTheStackCrashed) {
  stack({"libc.so.6", "librdmacm.so.1", "librdmafault.so", "libiut.so.0", "main"});
  EXPECT_EQ(module_crashed(), "rdmacm");
  stack({"", "libiut.so.0", "librdmacm.so.1"});
  EXPECT_EQ(module_crashed(), "iut");
}

TEST_F(AttributionTest, CrashOutsideTheStackIsItsCallersFault) {
  stack({"libc.so.6", "main"});
  EXPECT_EQ(module_crashed(), "iut");
  stack({});
  EXPECT_EQ(module_crashed(), "iut");
}

TEST_F(AttributionTest, OnlyACallOfTheIutThatNoRuleMadeFailHasReallyFailed) {
  const auto real = [this] { return really_failed(library_, evidence_, {0, 1}); };
  call("rdma_bind_addr");
  EXPECT_EQ(real(), "");
  evidence_.records[0].result = -1;
  evidence_.records[0].error = EADDRINUSE;
  EXPECT_NE(real(), "");
  EXPECT_EQ(really_failed(library_, evidence_, {1, 2}), "");
  evidence_.records[0].flags |= RDMAFAULT_INJECTED;
  EXPECT_EQ(real(), "");
  evidence_.records[0].flags = RDMAFAULT_COMPLETE;
  evidence_.records[0].module = RDMAFAULT_NONE;
  EXPECT_EQ(real(), "");
}

// The count may hold any value where the child died while it wrote it.
TEST_F(AttributionTest, CountOfFramesIsNotTrusted) {
  evidence_.observation.frames = 1'000'000;
  EXPECT_EQ(module_crashed(), "iut");
  EXPECT_EQ(module_hangs(), "iut");
}

}  // namespace
}  // namespace conformance
