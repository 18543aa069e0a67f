// SPDX-License-Identifier: BSD-3-Clause
// Scripts: a correct listener meets the expectations of each, and each script detects mistakes.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <ostream>
#include <set>
#include <span>
#include <string>

#include "mocks/rdmamock.h"
#include "mocks/tests/toy_listener.h"

namespace {

using toy::Mistake;

std::span<const rdmamock_script> all_scripts() {
  size_t count = 0;
  const rdmamock_script* rows = rdmamock_scripts(&count);
  return {rows, count};
}

struct Played {
  bool finished = false;
  bool succeeded = false;
  rdmamock_outcome outcome{};
};

// Make a listener and shut it down under a script, as the harness does.
void play_here(const char* script, Mistake mistake, Played* result) {
  toy::Endpoint endpoint;
  if (toy::listen(RDMAMOCK_ADDR, RDMAMOCK_PORT, Mistake::None, &endpoint) == 0)
    toy::shut_down(endpoint, Mistake::None);
  if (rdmamock_begin(script) != 0) return;
  result->succeeded = toy::listen(RDMAMOCK_ADDR, RDMAMOCK_PORT, mistake, &endpoint) == 0;
  if (result->succeeded) toy::shut_down(endpoint, mistake);
  rdmamock_end(&result->outcome);
  result->finished = true;
}

// The same in a child process, which ends with all that a mistake leaves behind.
Played play(const char* script, Mistake mistake) {
  void* memory = mmap(nullptr, sizeof(Played), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return {};
  auto* shared = new (memory) Played;
  const pid_t child = fork();
  if (child == 0) {
    play_here(script, mistake, shared);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  const Played result = *shared;
  munmap(memory, sizeof(Played));
  EXPECT_TRUE(result.finished) << script;
  return result;
}

TEST(Scripts, TheTableHasUniqueNamesAndSentences) {
  std::set<std::string> names;
  EXPECT_GE(all_scripts().size(), 9U);
  for (const rdmamock_script& script : all_scripts()) {
    EXPECT_TRUE(names.insert(script.name).second) << script.name;
    EXPECT_EQ(std::string(script.what).back(), '.') << script.name;
    EXPECT_TRUE(script.expect_success == 1 || script.pending_request == 0) << script.name;
  }
}

TEST(Scripts, ACorrectListenerMeetsEach) {
  for (const rdmamock_script& script : all_scripts()) {
    const Played result = play(script.name, Mistake::None);
    EXPECT_EQ(result.outcome.failures, 0U) << script.name << ": " << result.outcome.text;
    EXPECT_EQ(result.succeeded, script.expect_success == 1) << script.name;
  }
}

// A mistake, and how the script detects it: failed expectations, or only a wrong result.
struct Row {
  const char* script;
  Mistake mistake;
  bool only_by_result = false;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.script << " / mistake " << static_cast<int>(row.mistake);
}

constexpr Row kRows[] = {
    {"CreateChannelFailsWithErrnoZero", Mistake::TrustsErrno},
    {"CreateIdScribblesThenFails", Mistake::DestroysUnmadeId},
    {"CreateIdScribblesThenFails", Mistake::LeaksChannel},
    {"IdsReuseReleasedAddresses", Mistake::DistrustsReusedAddress},
    {"EventChannelHasDescriptorZero", Mistake::TakesZeroForNoDescriptor},
    {"GetaddrinfoScribblesThenFails", Mistake::FreesUnmadeInfo},
    {"GetaddrinfoScribblesThenFails", Mistake::LeaksId},
    {"GetaddrinfoFailsWithSystemError", Mistake::ChecksForMinusOneOnly},
    {"GetaddrinfoGivesThreeResults", Mistake::FreesEveryResult},
    {"GetaddrinfoGivesThreeResults", Mistake::LeaksInfo},
    {"GetaddrinfoGivesNoAddress", Mistake::BindsWildcard},
    {"GetaddrinfoGivesNoAddress", Mistake::FreesInfoTwice},
    {"BindFailsThenWorks", Mistake::LeaksInfo},
    {"BindFailsThenWorks", Mistake::LeaksId},
    {"BindFailsThenWorks", Mistake::DestroysChannelFirst},
    {"ListenAsksForRightThings", Mistake::WrongPortSpace},
    {"ListenAsksForRightThings", Mistake::NotPassive},
    {"ListenAsksForRightThings", Mistake::BindsWildcard},
    {"ListenAsksForRightThings", Mistake::ListensUnbound},
    {"ListenAsksForRightThings", Mistake::FreesBeforeBind},
    {"ListenAsksForRightThings", Mistake::LeaksInfo},
    {"ListenAsksForRightThings", Mistake::FreesInfoTwice},
    {"ListenFailsWithErrnoZero", Mistake::TrustsErrno, true},
    {"ListenFailsWithErrnoZero", Mistake::LeaksInfo},
    {"ListenIsInterruptedForEver", Mistake::RetriesForEver},
    {"ListenFailsWithRequestPending", Mistake::LeaksId},
    {"ListenFailsWithRequestPending", Mistake::DestroysChannelFirst},
    {"ConnectRequestArrivesDuringListen", Mistake::SwallowsEvents},
    {"ConnectRequestArrivesDuringListen", Mistake::LeavesEventUnacknowledged},
    {"AddressChangesDuringListen", Mistake::LeavesEventUnacknowledged},
    {"AddressChangesDuringListen", Mistake::TakesEventsForFailures, true},
    {"DeviceRemovedDuringListen", Mistake::DestroysChannelFirst},
    {"DeviceRemovedDuringListen", Mistake::LeaksChannel},
};

class WrongListener : public testing::TestWithParam<Row> {};

TEST_P(WrongListener, IsDetected) {
  const Played result = play(GetParam().script, GetParam().mistake);
  for (const rdmamock_script& script : all_scripts()) {
    if (std::string(script.name) != GetParam().script) continue;
    if (GetParam().only_by_result)
      EXPECT_NE(result.succeeded, script.expect_success == 1);
    else
      EXPECT_GT(result.outcome.failures, 0U);
  }
}

INSTANTIATE_TEST_SUITE_P(Scripts, WrongListener, testing::ValuesIn(kRows));

TEST(Scripts, EachDetectsAMistakeByItsExpectations) {
  for (const rdmamock_script& script : all_scripts()) {
    bool found = false;
    for (const Row& row : kRows)
      found = found || (std::string(row.script) == script.name && !row.only_by_result);
    EXPECT_TRUE(found) << script.name;
  }
}

TEST(Scripts, UnknownScriptsAndNestedScriptsAreRefused) {
  errno = 0;
  EXPECT_EQ(rdmamock_begin("NoSuchScript"), -1);
  EXPECT_EQ(errno, EINVAL);
  EXPECT_EQ(rdmamock_begin(nullptr), 0);
  EXPECT_EQ(rdmamock_begin("BindFailsThenWorks"), -1);
  EXPECT_EQ(errno, EBUSY);
  rdmamock_outcome outcome{};
  rdmamock_end(&outcome);
  EXPECT_EQ(outcome.failures, 0U);
}

TEST(Scripts, EndRemovesTheExpectations) {
  ASSERT_EQ(rdmamock_begin("ListenFailsWithErrnoZero"), 0);
  toy::Endpoint endpoint;
  EXPECT_EQ(toy::listen(RDMAMOCK_ADDR, RDMAMOCK_PORT, Mistake::None, &endpoint), -1);
  rdmamock_outcome outcome{};
  rdmamock_end(&outcome);
  ASSERT_EQ(toy::listen(RDMAMOCK_ADDR, RDMAMOCK_PORT, Mistake::None, &endpoint), 0);
  toy::shut_down(endpoint, Mistake::None);
  rdmamock_end(&outcome);
  EXPECT_EQ(outcome.failures, 0U) << outcome.text;
}

}  // namespace
