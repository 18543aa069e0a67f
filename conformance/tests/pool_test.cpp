// SPDX-License-Identifier: BSD-3-Clause
//
// How the pool assigns its job slots. Runs under the preload, with the toy that sleeps for ever if its
// rdma_listen fails (toys/toy_rpma.cpp).
#include "conformance/harness/pool.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <memory>

#include "conformance/harness/library.h"
#include "conformance/harness/listen_operation.h"
#include "mocks/rdmamock.h"

namespace conformance {
namespace {

Library library_that_sleeps() {
  setenv("RPMACONF_TOY", "sleep-on-listen", 1);
  return open_library({.librpma = RPMACONF_TOY_LIBRARY, .rdma_core = "", .mock = true});
}

class PoolOfOne : public testing::Test {
 protected:
  static Experiment ordinary() { return {listen_operation(), Start::Primed, Sentinel::Wild}; }
  static Experiment sleeper() {
    return {listen_operation(), Start::Primed, Sentinel::Wild, {make_rule("rdma_listen:error=EADDRINUSE")}};
  }

  Library library_ = library_that_sleeps();
  Target target_{.provider = "mock", .device = RDMAMOCK_DEVICE, .address = RDMAMOCK_ADDR};
};

TEST_F(PoolOfOne, GivesUpNoMoreSlotsThanAllowed) {
  Pool pool(library_, target_, {1, std::chrono::seconds(4), 1});
  const size_t sleeps = pool.announce(sleeper());
  pool.announce(sleeper());
  for (int i = 0; i < 3; ++i) pool.announce(ordinary());
  EXPECT_EQ(1U, pool.await(sleeps)->observation.timed_out);
  EXPECT_EQ(1U, pool.finished()) << "three ran at a time";
}

TEST_F(PoolOfOne, SleeperGivesUpItsSlot) {
  Pool pool(library_, target_, {1, kLongestTimeout});
  pool.announce(sleeper());
  size_t last = 0;
  for (int i = 0; i < 100; ++i) last = pool.announce(ordinary());
  const std::unique_ptr<Evidence> evidence = pool.await(last);
  EXPECT_EQ(0, evidence->observation.code);
  EXPECT_EQ(100U, pool.finished()) << "the sleeper was waited for";
}

TEST_F(PoolOfOne, AsksForMoreWhileOneSleeps) {
  Pool pool(library_, target_, {1, std::chrono::seconds(4)});
  size_t more = 0;
  pool.when_idle([&] {
    if (more++ < 5) pool.announce(ordinary());
  });
  EXPECT_EQ(1U, pool.await(pool.announce(sleeper()))->observation.timed_out);
  EXPECT_EQ(6U, pool.finished()) << "five were tried meanwhile";
}

TEST_F(PoolOfOne, RunsOneAtATimeWithoutSleepers) {
  Pool pool(library_, target_, {1, kLongestTimeout});
  std::array<size_t, 20> tickets{};
  for (size_t& ticket : tickets) ticket = pool.announce(ordinary());
  for (size_t i = 0; i < tickets.size(); ++i) {
    EXPECT_EQ(0, pool.await(tickets.at(i))->observation.code);
    EXPECT_EQ(i + 1, pool.finished()) << "one was ahead";
  }
}

}  // namespace
}  // namespace conformance
