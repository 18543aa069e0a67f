// SPDX-License-Identifier: BSD-3-Clause
//
// What a process inherits from the one that starts it, and what would change a verdict.
#pragma once

namespace conformance {

// Puts it into a known state: no ignored signals but those of a terminal (for nohup(1)) and SIGXFSZ, no
// blocked signals, no timers, open standard streams, and soft limits as high as the hard limits allow. Call
// it first, and again after code of others has run in this process.
void reset_inherited_state();

// Throws SetupError where a hard limit is too low for any verdict.
void need_limits();

}  // namespace conformance
