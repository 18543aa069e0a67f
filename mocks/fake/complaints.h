// SPDX-License-Identifier: BSD-3-Clause
// How the fake reports a call that breaks the provider's API, as the rdma_* and ibv_* man pages define it.
#pragma once

#include <functional>
#include <string>

namespace rdmamock {

using Complain = std::function<void(const std::string&)>;

}  // namespace rdmamock
