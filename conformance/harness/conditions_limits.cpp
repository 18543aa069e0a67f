// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions: limits and privileges of the process.
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>

#include "conformance/harness/imposing.h"

namespace conformance {
namespace {

class Limit : public Imposed {
 public:
  Limit(__rlimit_resource resource, std::string name, rlim_t value)
      : resource_(resource), name_(std::move(name)) {
    getrlimit(resource_, &old_);
    const rlimit low{value, old_.rlim_max};
    if (value > old_.rlim_max || setrlimit(resource_, &low) != 0)
      throw std::runtime_error("cannot set " + name_);
  }
  std::string lift() override { return setrlimit(resource_, &old_) == 0 ? "" : "cannot restore " + name_; }

 private:
  __rlimit_resource resource_;
  std::string name_;
  rlimit old_{};
};

// Removes the capability from the calling thread's effective set.
void give_up(unsigned capability) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> sets{};
  bool done = syscall(SYS_capget, &header, sets.data()) == 0;
  sets.at(capability / 32).effective &= ~(1u << capability % 32);
  done = done && syscall(SYS_capset, &header, sets.data()) == 0;
  if (!done) throw std::runtime_error("cannot drop a capability with capset");
}

}  // namespace

ImposedPtr lower_memlock(Testbed& /*bed*/, const std::string& kib) {
  return std::make_unique<Limit>(RLIMIT_MEMLOCK, "RLIMIT_MEMLOCK", std::stoul(kib) * 1024);
}

// The limit applies to descriptor numbers, not to their count: numbers above it may be in use, and free
// numbers below it count as left.
ImposedPtr leave_descriptors(Testbed& /*bed*/, const std::string& number) {
  unsigned long left = std::stoul(number);
  int limit = 0;
  for (;; ++limit) {
    if (fcntl(limit, F_GETFD) >= 0 || errno != EBADF) continue;
    if (left == 0) break;
    --left;
  }
  return std::make_unique<Limit>(RLIMIT_NOFILE, "RLIMIT_NOFILE", static_cast<rlim_t>(limit));
}

void give_up_bind_service() {
  give_up(CAP_NET_BIND_SERVICE);
}

void give_up_file_privileges() {
  give_up(CAP_DAC_OVERRIDE);
  give_up(CAP_DAC_READ_SEARCH);
}

}  // namespace conformance
