// SPDX-License-Identifier: BSD-3-Clause
//
// Whom evidence accuses, on evidence made by hand.
#include "conformance/harness/attribution.h"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

namespace conformance {
namespace {

Place place_in(const std::string& file) {
  Place place{};
  place.address = 0x7000'1234;
  place.offset = 0x1234;
  file.copy(place.file.data(), place.file.size() - 1);
  return place;
}

class AttributionTest : public testing::Test {
 protected:
  AttributionTest() {
    add_role("iut", "libiut.so.0");
    add_role("rdmacm", "librdmacm.so.1");
    add_role("libc", "libc.so.6");
    add_role("harness", "main");
    add_role("harness", "librdmafault.so");
    rdmafault_module module{};
    std::string_view("libiut.so.0").copy(module.soname, sizeof(module.soname) - 1);
    evidence_.modules.push_back(module);
  }

  void add_role(std::string_view role, std::string_view module) {
    rdmafault_role row{};
    role.copy(row.role, sizeof(row.role) - 1);
    module.copy(row.module, sizeof(row.module) - 1);
    library_.roles.push_back(row);
  }

  void stack(std::initializer_list<const char*> files) {
    Observation& seen = evidence_.observation;
    seen.frames = 0;
    for (const char* file : files) seen.frame.at(seen.frames++) = place_in(file);
  }

  rdmafault_record& call(const char* name, uint16_t flags) {
    size_t count = 0;
    const rdmafault_function* functions = rdmafault_functions(&count);
    rdmafault_record record{};
    for (size_t i = 0; i < count; ++i)
      if (std::strcmp(functions[i].name, name) == 0) record.function = static_cast<uint16_t>(i);
    record.flags = flags;
    record.rule = RDMAFAULT_NONE;
    evidence_.records.push_back(record);
    return evidence_.records.back();
  }

  void misuse_the_provider() { call("rdma_destroy_event_channel", RDMAFAULT_COMPLETE).released = 0x100; }

  [[nodiscard]] std::string who_hangs() const { return module_that_hangs(library_, evidence_); }
  [[nodiscard]] std::string who_crashed() const { return module_that_crashed(library_, evidence_); }

  Library library_;
  Evidence evidence_;
};

TEST_F(AttributionTest, LibcWaitsForItsCaller) {
  stack({"libc.so.6", "librdmacm.so.1", "librdmafault.so", "libiut.so.0", "main"});
  EXPECT_EQ(who_hangs(), "rdmacm");
  stack({"libc.so.6", "libc.so.6", "libiut.so.0", "main"});
  EXPECT_EQ(who_hangs(), "iut");
}

TEST_F(AttributionTest, InnermostOfTheStackHangs) {
  stack({"libiut.so.0", "librdmacm.so.1", "libiut.so.0", "main"});
  EXPECT_EQ(who_hangs(), "iut");
  stack({"libmlx5-rdmav34.so", "librdmacm.so.1", "libiut.so.0", "main"});
  EXPECT_EQ(who_hangs(), "driver");
}

TEST_F(AttributionTest, StackOfAHangGoesBeforeTheCallThatIsUnderWay) {
  call("rdma_getaddrinfo", 0);
  stack({"libmlx5-rdmav34.so", "librdmacm.so.1", "librdmafault.so", "libiut.so.0"});
  EXPECT_EQ(who_hangs(), "driver");
}

TEST_F(AttributionTest, StackOfAHangGoesBeforeTheLastSystemCall) {
  stack({"libc.so.6", "libiut.so.0"});
  evidence_.observation.stuck = place_in("librdmacm.so.1");
  EXPECT_EQ(who_hangs(), "iut");
}

TEST_F(AttributionTest, CallThatIsUnderWayHangsWhereTheStackTellsNothing) {
  call("rdma_getaddrinfo", 0);
  EXPECT_EQ(who_hangs(), "rdmacm");
  stack({"libc.so.6", "main"});
  EXPECT_EQ(who_hangs(), "rdmacm");
}

TEST_F(AttributionTest, LastSystemCallHangsWhereNothingElseTells) {
  EXPECT_EQ(who_hangs(), "iut");
  evidence_.observation.stuck = place_in("librdmacm.so.1");
  EXPECT_EQ(who_hangs(), "rdmacm");
  evidence_.observation.stuck = place_in("libc.so.6");
  EXPECT_EQ(who_hangs(), "iut");
}

TEST_F(AttributionTest, CallThatCameBackDoesNotHang) {
  call("rdma_listen", RDMAFAULT_COMPLETE);
  EXPECT_EQ(who_hangs(), "iut");
}

TEST_F(AttributionTest, MisuseOfTheProviderGoesBeforeAll) {
  misuse_the_provider();
  call("rdma_listen", 0);
  stack({"librdmacm.so.1", "libiut.so.0"});
  EXPECT_EQ(who_hangs(), "iut");
  EXPECT_EQ(who_crashed(), "iut");
}

TEST_F(AttributionTest, InnermostOfTheStackCrashed) {
  stack({"libc.so.6", "librdmacm.so.1", "librdmafault.so", "libiut.so.0", "main"});
  EXPECT_EQ(who_crashed(), "rdmacm");
  stack({"", "libiut.so.0", "librdmacm.so.1"});
  EXPECT_EQ(who_crashed(), "iut");
}

TEST_F(AttributionTest, CrashOutsideTheStackIsItsCallersFault) {
  stack({"libc.so.6", "main"});
  EXPECT_EQ(who_crashed(), "iut");
  stack({});
  EXPECT_EQ(who_crashed(), "iut");
}

// The child writes the count, and may have been about anything when it died.
TEST_F(AttributionTest, CountOfFramesIsNotTrusted) {
  evidence_.observation.frames = 1'000'000;
  EXPECT_EQ(who_crashed(), "iut");
  EXPECT_EQ(who_hangs(), "iut");
}

}  // namespace
}  // namespace conformance
