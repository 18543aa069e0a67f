// SPDX-License-Identifier: BSD-3-Clause
// Where failures go; see reporter.h.
#include "mocks/reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <new>

namespace rdmamock {
namespace {

struct Buffer {
  std::mutex mutex;
  rdmamock_outcome outcome{};
  std::size_t used = 0;  // bytes of outcome.text, without the NUL

  void add(const std::string& failure) {
    const std::lock_guard<std::mutex> guard(mutex);
    if (outcome.failures++ != 0) append("\n");
    append(failure);
  }

 private:
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
    std::string place;
    if (result.file_name() != nullptr)
      place = std::string(result.file_name()) + ":" + std::to_string(result.line_number()) + ": ";
    buffer().add(place + result.message());
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
  GMOCK_FLAG_SET(catch_leaked_mocks, false);  // a script may still be running at exit
  GMOCK_FLAG_SET(verbose, "error");           // no warnings about uninteresting calls
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  const std::unique_ptr<testing::TestEventListener> printer(
      listeners.Release(listeners.default_result_printer()));
  listeners.Append(std::make_unique<Listener>().release());
}

void report(const std::string& what) {
  buffer().add(what);
}

void report_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    errno = ENOMEM;
  } catch (const std::exception& e) {
    report(std::string("the mock provider failed: ") + e.what());
    errno = EIO;
  }
}

void take_outcome(rdmamock_outcome& outcome) {
  Buffer& from = buffer();
  const std::lock_guard<std::mutex> guard(from.mutex);
  outcome = from.outcome;
  from.outcome = {};
  from.used = 0;
}

}  // namespace rdmamock
