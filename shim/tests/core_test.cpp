// SPDX-License-Identifier: BSD-3-Clause
//
// The function table, an empty log, a rule's schedule, and the bootstrap arena.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "shim/arena.h"
#include "shim/rdmafault.h"
#include "shim/tests/parsed.h"

namespace {

TEST(Table, EveryRowIsConsistent) {
  size_t count = 0;
  const rdmafault_function* functions = rdmafault_functions(&count);
  ASSERT_GE(count, 16U);
  std::set<std::string> names;
  bool in_system_calls = false;
  for (size_t i = 0; i < count; ++i) {
    const rdmafault_function& row = functions[i];
    SCOPED_TRACE(row.name);
    EXPECT_TRUE(names.insert(row.name).second) << "twice in the table";
    EXPECT_EQ(row.convention == RDMAFAULT_SYSTEM, row.kind == RDMAFAULT_SYSTEM_CALL);
    EXPECT_FALSE(row.kind != RDMAFAULT_SYSTEM_CALL && in_system_calls) << "system calls come last";
    in_system_calls = row.kind == RDMAFAULT_SYSTEM_CALL;
    if (in_system_calls) {
      EXPECT_FALSE(row.errors == nullptr && row.values != nullptr);
    } else {
      EXPECT_EQ(row.convention == RDMAFAULT_VOID, row.errors == nullptr);
      EXPECT_EQ(row.convention == RDMAFAULT_GAI, row.values != nullptr);
    }
    for (const rdmafault_name* list : {row.errors, row.values}) {
      std::set<int> seen;
      for (; list != nullptr && list->name != nullptr; ++list) {
        EXPECT_TRUE(seen.insert(list->value).second) << list->name << " has the same value as another name";
        EXPECT_NE(0, list->value) << list->name;
        if (list->name[0] != 'E' || std::strncmp(list->name, "EAI_", 4) == 0) continue;
        EXPECT_STREQ(list->name, strerrorname_np(list->value));
      }
    }
    bool ended = false;
    for (const char* arg : row.args) {
      if (arg == nullptr) ended = true;
      EXPECT_FALSE(ended && arg != nullptr) << "a gap in the arguments";
    }
  }
  EXPECT_STREQ("other_system_call", functions[count - 1].name);
  EXPECT_EQ(nullptr, functions[count - 1].errors);
}

TEST(Log, IsEmptyAndHasTheCapacityThatItsSizeAllows) {
  std::vector<uint64_t> memory(rdmafault_log_size(3) / 8 + 1, UINT64_MAX);
  rdmafault_log* log = rdmafault_log_init(memory.data(), rdmafault_log_size(3));
  ASSERT_EQ(static_cast<void*>(memory.data()), log);
  EXPECT_EQ(3U, log->capacity);
  EXPECT_EQ(0U, log->count);
  EXPECT_EQ(0U, log->module_count);
  EXPECT_EQ(static_cast<uint32_t>(RDMAFAULT_ABI), log->abi);
  EXPECT_EQ(0, log->modules[RDMAFAULT_MAX_MODULES - 1].ready);
  EXPECT_EQ(UINT64_MAX, memory[rdmafault_log_size(0) / 8]) << "the records must not be touched";
}

TEST(Log, IsRefusedWithoutRoomForARecordOrUnaligned) {
  std::vector<uint64_t> memory(rdmafault_log_size(2) / 8);
  EXPECT_EQ(nullptr, rdmafault_log_init(nullptr, rdmafault_log_size(1)));
  EXPECT_EQ(nullptr, rdmafault_log_init(memory.data(), rdmafault_log_size(1) - 1));
  EXPECT_EQ(nullptr, rdmafault_log_init(reinterpret_cast<char*>(memory.data()) + 4, rdmafault_log_size(1)));
  EXPECT_NE(nullptr, rdmafault_log_init(memory.data(), rdmafault_log_size(1)));
}

// Which calls fail: one character each.
std::string schedule(const char* text, uint64_t calls = 10) {
  const rdmafault_rule rule = parsed(text);
  std::string result;
  for (uint64_t n = 1; n <= calls; ++n) result += rdmafault_rule_fires(&rule, n) != 0 ? 'X' : '.';
  return result;
}

TEST(Schedule, WhenChoosesTheCalls) {
  EXPECT_EQ("XXXXXXXXXX", schedule("malloc:error=ENOMEM"));
  EXPECT_EQ("..X.......", schedule("malloc:error=ENOMEM:when=3"));
  EXPECT_EQ(".XXX......", schedule("malloc:error=ENOMEM:when=2..4"));
  EXPECT_EQ("...XXXXXXX", schedule("malloc:error=ENOMEM:when=4+"));
  EXPECT_EQ(".X..X..X..", schedule("malloc:error=ENOMEM:when=2+3"));
}

TEST(Schedule, TheSeedFixesTheChoices) {
  const std::string one = schedule("malloc:error=ENOMEM:prob=50%:seed=1", 200);
  EXPECT_EQ(one, schedule("malloc:error=ENOMEM:prob=50%:seed=1", 200));
  EXPECT_NE(one, schedule("malloc:error=ENOMEM:prob=50%:seed=2", 200));
}

// The meaning of a seed is part of the interface: reproducers rely on it.
TEST(Schedule, ASeedMeansTheSameInEveryRelease) {
  EXPECT_EQ(".X.....XX.X.XXX..X.X", schedule("malloc:error=ENOMEM:prob=50%:seed=1", 20));
}

TEST(Schedule, TheProbabilityIsTheFractionThatFails) {
  const std::string calls = schedule("malloc:error=ENOMEM:prob=10%:seed=3", 10000);
  const auto failed = std::count(calls.begin(), calls.end(), 'X');
  EXPECT_GT(failed, 900);
  EXPECT_LT(failed, 1100);
}

TEST(Arena, BlocksAreAlignedZeroedDistinctAndKnown) {
  namespace arena = rdmafault::arena;
  auto* first = static_cast<unsigned char*>(arena::allocate(1));
  auto* second = static_cast<unsigned char*>(arena::allocate(40));
  ASSERT_NE(nullptr, first);
  ASSERT_NE(nullptr, second);
  EXPECT_EQ(0U, reinterpret_cast<uintptr_t>(first) % 16);
  EXPECT_EQ(0U, reinterpret_cast<uintptr_t>(second) % 16);
  EXPECT_GE(second, first + 1);
  EXPECT_EQ(40U, arena::size_of(second));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(0, second[i]);
  EXPECT_TRUE(arena::owns(first));
  EXPECT_FALSE(arena::owns(&first));
  EXPECT_FALSE(arena::owns(nullptr));
}

TEST(Arena, ReturnsNullWhenFull) {
  namespace arena = rdmafault::arena;
  EXPECT_EQ(nullptr, arena::allocate(arena::kSize));
  EXPECT_EQ(nullptr, arena::allocate(SIZE_MAX));
  while (arena::allocate(1000) != nullptr) {
  }
  EXPECT_EQ(nullptr, arena::allocate(1000));
}

}  // namespace
