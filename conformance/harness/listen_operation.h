// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) as a function under test: which arguments it gets, how its endpoint is put to use and
// given back.
#pragma once

#include <memory>

#include "conformance/harness/operation.h"

namespace conformance {

// Which arguments are NULL; may be combined.
enum ListenNull : unsigned { kPeerNull = 1, kAddrNull = 2, kPortNull = 4, kEpPtrNull = 8 };

// A call of rpma_ep_listen on the target's address, with the arguments in `nulls` replaced by NULL.
std::shared_ptr<const Operation> listen_operation(unsigned nulls = 0);

}  // namespace conformance
