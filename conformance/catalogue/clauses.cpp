// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/catalogue/clauses.h"

#include <algorithm>

namespace conformance {
namespace {

// "ruling N" in a source means rulings.h.
constexpr Clause kClauses[] = {
    {"LISTEN-RET-1", "Where nothing underneath fails, the call returns 0.",
     "rpma_ep_listen(3), RETURN VALUE"},
    {"LISTEN-RET-2", "Where it fails, the call returns, and what it returns is a negative code.",
     "rpma_ep_listen(3), RETURN VALUE"},
    {"LISTEN-EPPTR-1", "Where it fails, nothing is ever stored to *ep_ptr, not even for a moment.",
     "rpma_ep_listen(3), RETURN VALUE"},
    {"LISTEN-EPPTR-2", "Where it succeeds, *ep_ptr is the new endpoint.", "rpma_ep_listen(3), DESCRIPTION"},
    {"LISTEN-INVAL-1", "A NULL peer gives RPMA_E_INVAL.", "rpma_ep_listen(3), ERRORS"},
    {"LISTEN-INVAL-2", "A NULL addr gives RPMA_E_INVAL.", "rpma_ep_listen(3), ERRORS"},
    {"LISTEN-INVAL-3", "A NULL port gives RPMA_E_INVAL.", "rpma_ep_listen(3), ERRORS"},
    {"LISTEN-INVAL-4", "A NULL ep_ptr gives RPMA_E_INVAL.", "rpma_ep_listen(3), ERRORS"},
    {"LISTEN-INVAL-5", "A NULL argument is noticed before anything is asked of the provider.",
     "rpma_ep_listen(3), ERRORS"},
    {"LISTEN-PROVIDER-1", "rdma_create_event_channel failing gives RPMA_E_PROVIDER.",
     "rpma_ep_listen(3), ERRORS"},
    {"LISTEN-PROVIDER-2", "rdma_create_id failing gives RPMA_E_PROVIDER.", "rpma_ep_listen(3), ERRORS"},
    {"LISTEN-PROVIDER-3", "rdma_getaddrinfo failing, by -1 or by an EAI_ value, gives RPMA_E_PROVIDER.",
     "rpma_ep_listen(3), ERRORS; ruling 4"},
    {"LISTEN-PROVIDER-4", "rdma_bind_addr failing gives RPMA_E_PROVIDER.", "ruling 2"},
    {"LISTEN-PROVIDER-5", "rdma_listen failing gives RPMA_E_PROVIDER.", "rpma_ep_listen(3), ERRORS"},
    {"LISTEN-REAL-1",
     "A provider call that really fails, for want of a device, a descriptor or an address, gives "
     "RPMA_E_PROVIDER.",
     "rpma_ep_listen(3), ERRORS"},
    {"LISTEN-NOMEM-1", "An allocation of the listener's own failing gives RPMA_E_NOMEM.",
     "rpma_ep_listen(3), ERRORS; ruling 1"},
    {"LISTEN-BELOW-1",
     "A fault inside a module below gives a documented negative code, or the call succeeds and truly works.",
     "rpma_ep_listen(3), RETURN VALUE; ruling 1"},
    {"LISTEN-USE-1", "The endpoint of a successful call listens: a client can connect to it.",
     "rpma_ep_listen(3), DESCRIPTION"},
    {"LISTEN-USE-2", "The port space asked for is RDMA_PS_TCP.", "rpma_ep_listen(3), DESCRIPTION"},
    {"LISTEN-USE-3", "The service asked for is reliable and connection-oriented (RC).",
     "rpma_ep_listen(3), DESCRIPTION"},
    {"LISTEN-USE-4", "The address is resolved for the passive side of a connection.",
     "rpma_ep_listen(3), DESCRIPTION"},
    {"LISTEN-LEAK-1", "After a failure every event channel, cm id and address information is released.",
     "rpma_ep_listen(3), RETURN VALUE: a failed call has no effect"},
    {"LISTEN-LEAK-2", "After a failure every heap block of the listener's own is freed.",
     "rpma_ep_listen(3), RETURN VALUE: a failed call has no effect"},
    {"LISTEN-LEAK-3", "After a failure no descriptor is left open.",
     "rpma_ep_listen(3), RETURN VALUE: a failed call has no effect"},
    {"LISTEN-LEAK-4", "After a failure the kernel lists no cm_id more than before.",
     "rpma_ep_listen(3), RETURN VALUE: a failed call has no effect"},
    {"LISTEN-LEAK-5", "After a success and rpma_ep_shutdown everything that the listen took is given back.",
     "rpma_ep_listen(3), rpma_ep_shutdown(3), DESCRIPTION"},
    {"LISTEN-LEGAL-1",
     "The provider is called as its pages allow: each handle released once, in a legal order, and "
     "not used afterwards.",
     "ruling 5; rdma_create_id(3), rdma_destroy_event_channel(3)"},
    {"LISTEN-AGAIN-1", "After a failure a later call under good conditions succeeds and truly listens.",
     "rpma_ep_listen(3), RETURN VALUE: a failed call has no effect"},
    {"LISTEN-THREADS-1",
     "Listens of several threads that take turns, each on a port of its own, do not disturb one another, "
     "whichever of them fail.",
     "librpma(7), THREAD SAFETY: rpma_ep_listen is not thread-safe, hence the turns; a failed call has no "
     "effect"},
    {"STACK-KERNEL-1",
     "The kernel logs no warning, oops or new taint while listeners are driven through failures.",
     "a kernel warning, oops or new taint during a run is a finding"},
};

}  // namespace

std::span<const Clause> clauses() {
  return kClauses;
}

const Clause* find_clause(std::string_view id) {
  const auto* const found = std::ranges::find(kClauses, id, &Clause::id);
  return found == std::end(kClauses) ? nullptr : &*found;
}

}  // namespace conformance
