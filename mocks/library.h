// SPDX-License-Identifier: BSD-3-Clause
// The state of the library: the fake, and the running script in front of it. Made on first use, so that a
// process that only loads the library pays nothing; never destroyed, so that calls at exit still work.
#pragma once

#include <memory>
#include <mutex>

#include "mocks/fake/fake_rdmacm.h"
#include "mocks/fake/fake_verbs.h"
#include "mocks/rdmamock.h"

namespace rdmamock {

class Script;

class Library {
 public:
  static Library& get();

  // What a call of librdmacm goes through. It outlives the call even if the script ends meanwhile.
  std::shared_ptr<FakeRdmacm> cm();
  FakeVerbs& verbs() { return verbs_; }

  int begin(const char* script);  // 0, or an errno
  void end(rdmamock_outcome& outcome);
  struct rdmamock_state state();

 private:
  Library();

  World world_;
  FakeRdmacm cm_;
  FakeVerbs verbs_;

  std::mutex mutex_;  // guards what follows
  std::shared_ptr<Script> script_;
  bool begun_ = false;
};

inline std::shared_ptr<FakeRdmacm> cm() {
  return Library::get().cm();
}

inline FakeVerbs& verbs() {
  return Library::get().verbs();
}

}  // namespace rdmamock
