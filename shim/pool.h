// SPDX-License-Identifier: BSD-3-Clause
//
// The pool of sessions, for arming (session.cpp) and recording (record.cpp).
#ifndef SHIM_POOL_H
#define SHIM_POOL_H

#include "shim/session.h"

namespace rdmafault {

[[gnu::visibility("hidden")]] extern constinit Session
    pool[kMaxSessions];  // NOLINT(bugprone-dynamic-static-initializers): constinit
[[gnu::visibility("hidden")]] extern constinit std::atomic<std::uint32_t>
    fork_epoch;  // NOLINT(bugprone-dynamic-static-initializers): constinit

}  // namespace rdmafault

#endif  // SHIM_POOL_H
