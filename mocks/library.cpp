// SPDX-License-Identifier: BSD-3-Clause
// The state of the library; see library.h.
#include "mocks/library.h"

#include <cerrno>

#include "mocks/reporter.h"
#include "mocks/scripts.h"

namespace rdmamock {

Library& Library::get() {
  static Library& instance = *std::unique_ptr<Library>(new Library).release();
  return instance;
}

Library::Library() : world_(report), cm_(world_), verbs_(world_) {
  install_reporter();
}

// The pointers share the script's ownership; the plain fake, which is never destroyed, has no owner.
std::shared_ptr<FakeRdmacm> Library::cm() {
  const std::lock_guard<std::mutex> guard(mutex_);
  return {script_, script_ != nullptr ? &script_->cm() : &cm_};
}

int Library::begin(const char* script) {
  const std::lock_guard<std::mutex> guard(mutex_);
  if (begun_) return EBUSY;
  if (script != nullptr) {
    script_ = start_script(script, cm_, world_);
    if (script_ == nullptr) return EINVAL;
  }
  begun_ = true;
  return 0;
}

void Library::end(rdmamock_outcome& outcome) {
  std::shared_ptr<Script> script;
  {
    const std::lock_guard<std::mutex> guard(mutex_);
    script = std::move(script_);
    script_ = nullptr;
    begun_ = false;
  }
  if (script != nullptr) script->finish();
  take_outcome(outcome);
}

struct rdmamock_state Library::state() {
  return count_held(world_);
}

}  // namespace rdmamock
