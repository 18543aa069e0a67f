// SPDX-License-Identifier: BSD-3-Clause
// Where this library's GoogleTest puts its failures; see reporter.h.
#include "mocks/reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <mutex>

namespace rdmamock {
namespace {

// The file name under which report() files a failure: it has no place in the source.
constexpr const char* kProvider = "provider";

// What GoogleTest puts before the text of such a failure.
constexpr const char* kHeading = "Failed\n";

struct Buffer {
  std::mutex mutex;
  rdmamock_outcome outcome{};
  std::size_t used = 0;  // bytes of outcome.text, without the NUL

  void append(const std::string& text) {
    const std::size_t room = sizeof outcome.text - 1 - used;
    const std::size_t size = std::min(room, text.size());
    std::memcpy(outcome.text + used, text.data(), size);
    used += size;
    outcome.text[used] = '\0';
  }
};

Buffer& buffer() {
  static Buffer instance;
  return instance;
}

class Listener : public testing::EmptyTestEventListener {
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    Buffer& to = buffer();
    const std::lock_guard<std::mutex> guard(to.mutex);
    if (to.outcome.failures++ != 0) to.append("\n");
    std::string text = result.message();
    if (result.file_name() != nullptr && std::strcmp(result.file_name(), kProvider) != 0)
      text = std::string(result.file_name()) + ":" + std::to_string(result.line_number()) + ": " + text;
    else if (text.starts_with(kHeading))
      text.erase(0, std::strlen(kHeading));
    to.append(text);
  }
};

}  // namespace

void install_reporter() {
  buffer();  // before GoogleTest, hence destroyed after it
  testing::InitGoogleMock();
  // The flags may come from the environment, which belongs to the program's own GoogleTest.
  GTEST_FLAG_SET(break_on_failure, false);
  GTEST_FLAG_SET(throw_on_failure, false);
  GTEST_FLAG_SET(output, "");
  GMOCK_FLAG_SET(catch_leaked_mocks, false);  // the plain mock lives as long as the process
  GMOCK_FLAG_SET(verbose, "error");           // no warnings about uninteresting calls
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  const std::unique_ptr<testing::TestEventListener> printer(
      listeners.Release(listeners.default_result_printer()));
  listeners.Append(std::make_unique<Listener>().release());
}

void report(const std::string& what) {
  ADD_FAILURE_AT(kProvider, 0) << what;
}

void take_outcome(rdmamock_outcome& outcome) {
  Buffer& from = buffer();
  const std::lock_guard<std::mutex> guard(from.mutex);
  outcome = from.outcome;
  from.outcome = {};
  from.used = 0;
}

}  // namespace rdmamock
