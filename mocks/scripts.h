// SPDX-License-Identifier: BSD-3-Clause
// Scripts: what a provider may do and no kernel shows on demand, with what is then expected of a listener.
// This header is for the library; the scripts themselves use stage.h.
#pragma once

#include <memory>
#include <string_view>

#include "mocks/fake/fake_rdmacm.h"
#include "mocks/rdmamock.h"

namespace rdmamock {

// A running script.
class Script {
 public:
  Script() = default;
  Script(const Script&) = delete;
  Script& operator=(const Script&) = delete;
  virtual ~Script() = default;

  virtual FakeRdmacm& cm() = 0;  // what calls go through while the script runs
  virtual void finish() = 0;     // verify the expectations: failures go to the reporter
};

// Start a script on top of the fake; null where there is no such script.
std::shared_ptr<Script> start_script(std::string_view name, FakeRdmacm& fake, World& world);

struct rdmamock_state count_held(World& world);

}  // namespace rdmamock
