// SPDX-License-Identifier: BSD-3-Clause
//
// The exported control interface: arming, disarming, suspending.
#include <pthread.h>

#include <cerrno>
#include <cstddef>

#include "shim/next.h"
#include "shim/objects.h"
#include "shim/rdmafault.h"
#include "shim/session.h"
#include "shim/system_calls.h"

namespace {

// Disarms a thread that ends while it is armed: its log may end with it.
constinit pthread_key_t exit_key = 0;
constinit bool has_exit_key = false;

[[gnu::constructor]] void initialise() {
  rdmafault::objects::initialise();
  pthread_atfork(rdmafault::before_fork, rdmafault::after_fork_in_parent, [] {
    rdmafault::after_fork_unsee_system_calls();
    rdmafault::after_fork_in_child();
  });
  has_exit_key = pthread_key_create(&exit_key, [](void*) { rdmafault_disarm(); }) == 0;
}

// Keeps the shim's own calls (dlsym may allocate) out of all logs.
class Suspended {
 public:
  Suspended() { rdmafault::suspend(); }
  Suspended(const Suspended&) = delete;
  Suspended& operator=(const Suspended&) = delete;
  ~Suspended() { rdmafault::resume(); }
};

// Arms a thread whose next functions are known. Its system calls are seen once the caller's Suspended ends.
int arm(const rdmafault_session& session) {
  // An armed thread keeps its state and gets EBUSY.
  const bool with_system_calls =
      (session.flags & RDMAFAULT_SYSTEM_CALLS) != 0 && rdmafault::thread.own == nullptr;
  if (with_system_calls) {
    if (const int error = rdmafault::see_system_calls()) return error;
  }
  const int error = rdmafault::arm(session);
  if (error != 0 && with_system_calls) rdmafault::unsee_system_calls();
  return error;
}

}  // namespace

int rdmafault_arm(const rdmafault_session* session) {
  const Suspended suspended;
  int error = EINVAL;
  if (session != nullptr) {
    rdmafault::objects::initialise();
    if (has_exit_key) pthread_setspecific(exit_key, &exit_key);
    // An armed thread has its next functions already, and must not look up symbols.
    const bool complete = rdmafault::thread.own != nullptr || rdmafault::find_all_next() == nullptr;
    error = complete ? arm(*session) : ENOSYS;
  }
  if (error == 0) return 0;
  errno = error;
  return -1;
}

void rdmafault_disarm() {
  rdmafault::unsee_system_calls();
  rdmafault::disarm();
}

void rdmafault_suspend() {
  rdmafault::suspend();
}

void rdmafault_resume() {
  rdmafault::resume();
}

const char* rdmafault_missing() {
  const Suspended suspended;
  return rdmafault::find_all_next();
}
