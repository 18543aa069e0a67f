// SPDX-License-Identifier: BSD-3-Clause
// Where the fake reports a call that breaks the provider's API: the rules are those of the rdma_* and ibv_*
// pages.
#pragma once

#include <functional>
#include <string>

namespace rdmamock {

using Complain = std::function<void(const std::string&)>;

}  // namespace rdmamock
