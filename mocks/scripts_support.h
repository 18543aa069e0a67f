// SPDX-License-Identifier: BSD-3-Clause
// What the functions that install scripts share.
#pragma once

#include <cerrno>
#include <cstdint>

#include "mocks/fake/addresses.h"
#include "mocks/scripts.h"

namespace rdmamock {

// A pointer that nobody handed out and that no load or store survives.
template <typename T>
T* wild_pointer() {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): a number that is meant to be no object's
  // address
  return reinterpret_cast<T*>(std::uintptr_t{0x5ca1ab1e5ca1ab18});
}

MATCHER(IsPassive, "is for the passive side") {
  return arg != nullptr && (arg->ai_flags & RAI_PASSIVE) != 0;
}

// Remember the first cm id that is made, whatever else a script expects of that call.
inline auto remember_id(const std::shared_ptr<Handles>& handles, FakeRdmacm& fake) {
  return [handles, &fake](rdma_event_channel* channel, rdma_cm_id** id, void* context, rdma_port_space ps) {
    const int result = fake.create_id(channel, id, context, ps);
    if (result == 0) handles->id = *id;
    return result;
  };
}

// The same for the first address result.
inline auto remember_info(const std::shared_ptr<Handles>& handles, FakeRdmacm& fake) {
  return [handles, &fake](const char* node, const char* service, const rdma_addrinfo* hints,
                          rdma_addrinfo** res) {
    const int result = fake.getaddrinfo(node, service, hints, res);
    if (result == 0) {
      handles->info = *res;
      handles->source = copy_address((*res)->ai_src_addr);
    }
    return result;
  };
}

inline auto fail_with(int error) {
  return [error] { return fail(error); };
}

}  // namespace rdmamock
