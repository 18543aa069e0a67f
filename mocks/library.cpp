// SPDX-License-Identifier: BSD-3-Clause
// The state of the library; see library.h.
#include "mocks/library.h"

#include <cerrno>
#include <cstring>

#include "mocks/reporter.h"
#include "mocks/scripts.h"

namespace rdmamock {

Library& Library::get() {
  static Library& instance = *std::unique_ptr<Library>(new Library).release();
  return instance;
}

Library::Library() : world_(report), cm_(world_), verbs_(world_) {
  install_reporter();
  plain_ = std::make_shared<Mocks>(cm_, verbs_);
  current_ = plain_;
}

std::shared_ptr<Mocks> Library::current() {
  const std::lock_guard<std::mutex> guard(mutex_);
  return current_;
}

int Library::begin(const char* script) {
  auto* const install = script != nullptr ? installer_of(script) : nullptr;
  if (script != nullptr && install == nullptr) return EINVAL;
  const std::lock_guard<std::mutex> guard(mutex_);
  if (begun_) return EBUSY;
  begun_ = true;
  if (install == nullptr) return 0;
  auto mocks = std::make_shared<Mocks>(cm_, verbs_);
  stage_ = std::make_unique<Stage>(mocks->cm, cm_, world_);
  install(*stage_);
  current_ = std::move(mocks);
  return 0;
}

void Library::end(rdmamock_outcome& outcome) {
  std::shared_ptr<Mocks> mocks;
  std::unique_ptr<Stage> stage;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    mocks = std::move(current_);
    current_ = plain_;
    stage = std::move(stage_);
    begun_ = false;
  }
  if (stage != nullptr) {
    testing::Mock::VerifyAndClearExpectations(&mocks->cm);
    stage->finish();
  }
  take_outcome(outcome);
}

struct rdmamock_state Library::state() {
  return count_held(world_);
}

}  // namespace rdmamock
