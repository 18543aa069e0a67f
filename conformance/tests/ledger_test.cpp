// SPDX-License-Identifier: BSD-3-Clause
//
// The ledger, on records made by hand.
#include "conformance/harness/ledger.h"

#include <gmock/gmock.h>

#include <cerrno>

#include "conformance/tests/evidence.h"

namespace conformance {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr uint64_t kEventChannel = 0x100;
constexpr uint64_t kCmId = 0x200;
constexpr uint64_t kHeapBlock = 0x300;

class LedgerTest : public EvidenceTest {
 protected:
  LedgerTest() {
    add_role("iut", "libiut.so");
    add_caller("libiut.so");
  }

  void acquire_channel() { call("rdma_create_event_channel").acquired = kEventChannel; }
  void acquire_id() {
    rdmafault_record& record = call("rdma_create_id");
    record.acquired = kCmId;
    record.args[0] = static_cast<int64_t>(kEventChannel);
  }
  void release(const char* name, uint64_t handle) { call(name).released = handle; }
  rdmafault_record& fail_to_destroy_id() {
    rdmafault_record& record = call("rdma_destroy_id");
    record.released = kCmId;
    record.result = -1;
    return record;
  }

  Ledger settled() {
    return settle(library_, evidence_, {{0, static_cast<uint32_t>(evidence_.records.size())}});
  }

  static std::vector<std::string> lefts_of(const Ledger& ledger) {
    std::vector<std::string> texts;
    for (const Left& left : ledger.handles_left) texts.push_back(left.text);
    return texts;
  }
};

TEST_F(LedgerTest, BalancedAccountsAreClean) {
  acquire_channel();
  acquire_id();
  release("rdma_destroy_id", kCmId);
  release("rdma_destroy_event_channel", kEventChannel);
  const Ledger ledger = settled();
  EXPECT_THAT(ledger.handles_left, IsEmpty());
  EXPECT_THAT(ledger.illegal, IsEmpty());
}

TEST_F(LedgerTest, HandleLeftIsNamedWithItsMaker) {
  acquire_channel();
  EXPECT_THAT(lefts_of(settled()), ElementsAre(HasSubstr("rdma_create_event_channel")));
}

TEST_F(LedgerTest, SecondReleaseIsIllegal) {
  acquire_channel();
  release("rdma_destroy_event_channel", kEventChannel);
  release("rdma_destroy_event_channel", kEventChannel);
  EXPECT_THAT(settled().illegal, ElementsAre(StartsWith("rdma_destroy_event_channel")));
}

TEST_F(LedgerTest, ReleaseOfWhatWasNotAcquiredIsIllegal) {
  release("rdma_destroy_id", kCmId);
  EXPECT_THAT(settled().illegal, ElementsAre(StartsWith("rdma_destroy_id")));
}

TEST_F(LedgerTest, ChannelBeforeItsIdIsIllegal) {
  acquire_channel();
  acquire_id();
  release("rdma_destroy_event_channel", kEventChannel);
  release("rdma_destroy_id", kCmId);
  EXPECT_THAT(settled().illegal, ElementsAre(StartsWith("rdma_destroy_event_channel")));
}

TEST_F(LedgerTest, UseOfAReleasedIdIsIllegal) {
  acquire_channel();
  acquire_id();
  release("rdma_destroy_id", kCmId);
  call("rdma_listen").args[0] = static_cast<int64_t>(kCmId);
  EXPECT_THAT(settled().illegal, ElementsAre(StartsWith("rdma_listen")));
}

TEST_F(LedgerTest, ReleaseMadeToFailExcusesItsHandleAlone) {
  acquire_channel();
  acquire_id();
  fail_to_destroy_id().flags |= RDMAFAULT_INJECTED;
  EXPECT_THAT(lefts_of(settled()), ElementsAre(HasSubstr("rdma_create_event_channel")));
}

TEST_F(LedgerTest, ReleaseThatFailedByItselfReleasesNothing) {
  acquire_channel();
  acquire_id();
  fail_to_destroy_id();
  EXPECT_EQ(settled().handles_left.size(), 2U);
}

TEST_F(LedgerTest, OwnBlockLeftCountsOthersDoNot) {
  call("malloc").acquired = kHeapBlock;
  rdmafault_record& foreign = call("malloc");
  foreign.acquired = kHeapBlock + 64;
  foreign.module = RDMAFAULT_NONE;
  EXPECT_THAT(settled().blocks_left, ElementsAre(HasSubstr("malloc")));
}

TEST_F(LedgerTest, GrownBlockIsOneBlock) {
  call("malloc").acquired = kHeapBlock;
  rdmafault_record& grown = call("realloc");
  grown.released = kHeapBlock;
  grown.acquired = kHeapBlock + 64;
  grown.result = static_cast<int64_t>(kHeapBlock + 64);
  release("free", kHeapBlock + 64);
  EXPECT_THAT(settled().blocks_left, IsEmpty());
}

TEST_F(LedgerTest, BlockThatReallocFreedIsReleased) {
  call("malloc").acquired = kHeapBlock;
  release("realloc", kHeapBlock);  // realloc(p, 0)
  EXPECT_THAT(settled().blocks_left, IsEmpty());
}

// realloc that fails leaves the block with its owner, also where a rule made it fail.
TEST_F(LedgerTest, BlockThatReallocCouldNotGrowIsLeft) {
  for (const bool injected : {false, true}) {
    evidence_.records.clear();
    call("malloc").acquired = kHeapBlock;
    rdmafault_record& refused = call("realloc");
    refused.released = kHeapBlock;
    refused.error = ENOMEM;
    if (injected) refused.flags |= RDMAFAULT_INJECTED;
    EXPECT_THAT(settled().blocks_left, ElementsAre(HasSubstr("malloc"))) << injected;
  }
}

// A release of a handle that was not acquired is misuse, even if the provider returns 0 or crashes.
TEST_F(LedgerTest, MisuseIsIllegalWhereTheProviderRefusesOrDiesOfIt) {
  rdmafault_record& refused = call("rdma_destroy_id");
  refused.released = kCmId;
  refused.result = -1;
  rdmafault_record& died = call("rdma_freeaddrinfo");
  died.released = kHeapBlock;
  died.flags = 0;
  call("rdma_listen").args[0] = static_cast<int64_t>(kCmId + 8);
  EXPECT_EQ(settled().illegal.size(), 3U);
}

TEST_F(LedgerTest, HandleIsNotTheBlockThatHoldsIt) {
  rdmafault_record& block = call("malloc");
  block.acquired = kEventChannel;
  block.module = RDMAFAULT_NONE;
  acquire_channel();
  release("rdma_destroy_event_channel", kEventChannel);
  release("free", kEventChannel);
  const Ledger ledger = settled();
  EXPECT_THAT(ledger.illegal, IsEmpty());
  EXPECT_THAT(ledger.handles_left, IsEmpty());
}

// As in librdmacm's first use: an inner call creates and destroys a channel with the address of the returned
// one.
TEST_F(LedgerTest, CallAcquiresAsItReturnsAfterTheCallsWithinIt) {
  acquire_channel();
  acquire_channel();
  evidence_.records.back().depth = 1;
  release("rdma_destroy_event_channel", kEventChannel);
  evidence_.records.back().depth = 1;
  acquire_id();
  release("rdma_destroy_id", kCmId);
  release("rdma_destroy_event_channel", kEventChannel);
  const Ledger ledger = settled();
  EXPECT_THAT(ledger.illegal, IsEmpty());
  EXPECT_THAT(ledger.handles_left, IsEmpty());
}

TEST_F(LedgerTest, BlockFromBeforeTheCallMayBeFreed) {
  release("free", kHeapBlock);
  EXPECT_THAT(settled().illegal, IsEmpty());
}

TEST_F(LedgerTest, CallThatNeverReturnedAcquiredNothing) {
  acquire_channel();
  evidence_.records.back().flags = 0;
  EXPECT_THAT(settled().handles_left, IsEmpty());
}

// Ruling 7, with the fault in an inner call of the release.
TEST_F(LedgerTest, ReleaseThatAFaultWithinMadeFailExcusesItsHandle) {
  acquire_channel();
  acquire_id();
  fail_to_destroy_id();
  rdmafault_record& write = call("write");
  write.depth = 1;
  write.flags |= RDMAFAULT_INJECTED;
  release("rdma_destroy_event_channel", kEventChannel);
  const Ledger ledger = settled();
  EXPECT_THAT(ledger.handles_left, IsEmpty());
  EXPECT_THAT(ledger.illegal, IsEmpty());
  EXPECT_EQ(ledger.excused_ids, 1);
  EXPECT_EQ(ledger.excused_channels, 0);
}

TEST_F(LedgerTest, ReleaseThatFailedByItselfExcusesNoHandle) {
  acquire_id();
  fail_to_destroy_id();
  EXPECT_EQ(settled().handles_left.size(), 1U);
}

// rdma_create_id without a channel creates one, which rdma_destroy_id destroys.
TEST_F(LedgerTest, ExcusedIdExcusesTheChannelThatWasMadeForIt) {
  rdmafault_record& create = call("rdma_create_id");
  create.acquired = kCmId;
  rdmafault_record& channel = call("rdma_create_event_channel");
  channel.depth = 1;
  channel.acquired = kEventChannel;
  fail_to_destroy_id().flags |= RDMAFAULT_INJECTED;
  const Ledger ledger = settled();
  EXPECT_THAT(ledger.handles_left, IsEmpty());
  EXPECT_EQ(ledger.excused_channels, 1);
}

// A call from librdmacm to its own functions is not misuse.
TEST_F(LedgerTest, InnerReleaseOfAnInnerThingIsLegal) {
  rdmafault_record& outer = call("rdma_getaddrinfo");
  outer.result = -1;
  rdmafault_record& inner = call("rdma_freeaddrinfo");
  inner.depth = 1;
  inner.released = 0x400;
  EXPECT_THAT(settled().illegal, IsEmpty());
}

TEST_F(LedgerTest, NullIdIsIllegalButNoChannelIsNot) {
  call("rdma_create_id").acquired = kCmId;
  call("rdma_bind_addr");
  release("rdma_destroy_id", kCmId);
  EXPECT_THAT(settled().illegal, ElementsAre(AllOf(StartsWith("rdma_bind_addr"), HasSubstr("NULL"))));
}

}  // namespace
}  // namespace conformance
