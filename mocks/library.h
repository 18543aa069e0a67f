// SPDX-License-Identifier: BSD-3-Clause
// The state of the library: the fake, the mock in front of it, the running script. Made on first use, so that
// a process that only loads the library pays nothing, and never destroyed, so that calls at exit find it.
#pragma once

#include <memory>
#include <mutex>

#include "mocks/fake/fake_rdmacm.h"
#include "mocks/fake/fake_verbs.h"
#include "mocks/mock.h"
#include "mocks/rdmamock.h"

namespace rdmamock {

struct Script;
class Stage;

class Library {
 public:
  static Library& get();

  // The mock that a call goes through. It outlives the call even where the script ends meanwhile.
  std::shared_ptr<Mocks> current();

  int begin(const char* script);  // 0, or an errno
  void end(rdmamock_outcome& outcome);
  struct rdmamock_state state();

 private:
  Library();

  World world_;
  FakeRdmacm cm_;
  FakeVerbs verbs_;

  std::mutex mutex_;  // guards what follows
  std::shared_ptr<Mocks> plain_;
  std::shared_ptr<Mocks> current_;
  std::unique_ptr<Stage> stage_;
  bool begun_ = false;
};

// What a call goes through.
inline std::shared_ptr<Mocks> mocks() {
  return Library::get().current();
}

}  // namespace rdmamock
