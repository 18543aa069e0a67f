// SPDX-License-Identifier: BSD-3-Clause
// The default actions of the GoogleMock class; see mock.h.
#include "mocks/mock.h"

namespace rdmamock {

MockRdmacm::MockRdmacm(World& world, FakeRdmacm& fake) : FakeRdmacm(world) {
  const auto go_on_to = [&fake](auto method) { return testing::Invoke(&fake, method); };
  ON_CALL(*this, create_event_channel).WillByDefault(go_on_to(&FakeRdmacm::create_event_channel));
  ON_CALL(*this, destroy_event_channel).WillByDefault(go_on_to(&FakeRdmacm::destroy_event_channel));
  ON_CALL(*this, create_id).WillByDefault(go_on_to(&FakeRdmacm::create_id));
  ON_CALL(*this, destroy_id).WillByDefault(go_on_to(&FakeRdmacm::destroy_id));
  ON_CALL(*this, getaddrinfo).WillByDefault(go_on_to(&FakeRdmacm::getaddrinfo));
  ON_CALL(*this, freeaddrinfo).WillByDefault(go_on_to(&FakeRdmacm::freeaddrinfo));
  ON_CALL(*this, bind_addr).WillByDefault(go_on_to(&FakeRdmacm::bind_addr));
  ON_CALL(*this, listen).WillByDefault(go_on_to(&FakeRdmacm::listen));
}

}  // namespace rdmamock
