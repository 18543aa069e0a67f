// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/catalogue/rulings.h"

namespace conformance {
namespace {

constexpr Ruling kRulings[] = {
    {1,
     "An allocation that the IUT itself makes, failing, must give RPMA_E_NOMEM. Where a fault lies in a "
     "module below it, the call must return a documented negative code with everything untouched, or succeed "
     "and truly work; anything else is a finding attributed to that module."},
    {2,
     "rdma_bind_addr failing counts as a provider failure (RPMA_E_PROVIDER), though the page does not list "
     "it."},
    {3, "errno after a failure is not promised: it is recorded, not judged."},
    {4, "rdma_getaddrinfo fails with -1 and errno, or with an EAI_* value; both must give RPMA_E_PROVIDER."},
    {5, "The order of provider calls is not promised; the order of releases must be legal for the provider."},
    {6,
     "Where the page and the code disagree, the page is right and the code has a finding, even where every "
     "release behaves that way."},
    {7,
     "A release that a rule makes fail, itself or by a call within it, is not really made: that one handle, "
     "and the event channel that rdma_create_id made for it, are excused from the leak clauses, nothing else "
     "is."},
    {8,
     "What a service string beyond 65535 or an empty one gives is left open by the page: recorded, not "
     "judged."},
};

}  // namespace

std::span<const Ruling> rulings() {
  return kRulings;
}

}  // namespace conformance
