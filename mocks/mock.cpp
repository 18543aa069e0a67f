// SPDX-License-Identifier: BSD-3-Clause
// The default actions of the GoogleMock classes: each call goes on to the fake.
#include "mocks/mock.h"

namespace rdmamock {

MockRdmacm::MockRdmacm(Rdmacm& fake) {
  ON_CALL(*this, create_event_channel).WillByDefault(testing::Invoke(&fake, &Rdmacm::create_event_channel));
  ON_CALL(*this, destroy_event_channel).WillByDefault(testing::Invoke(&fake, &Rdmacm::destroy_event_channel));
  ON_CALL(*this, create_id).WillByDefault(testing::Invoke(&fake, &Rdmacm::create_id));
  ON_CALL(*this, destroy_id).WillByDefault(testing::Invoke(&fake, &Rdmacm::destroy_id));
  ON_CALL(*this, migrate_id).WillByDefault(testing::Invoke(&fake, &Rdmacm::migrate_id));
  ON_CALL(*this, getaddrinfo).WillByDefault(testing::Invoke(&fake, &Rdmacm::getaddrinfo));
  ON_CALL(*this, freeaddrinfo).WillByDefault(testing::Invoke(&fake, &Rdmacm::freeaddrinfo));
  ON_CALL(*this, bind_addr).WillByDefault(testing::Invoke(&fake, &Rdmacm::bind_addr));
  ON_CALL(*this, listen).WillByDefault(testing::Invoke(&fake, &Rdmacm::listen));
  ON_CALL(*this, resolve_addr).WillByDefault(testing::Invoke(&fake, &Rdmacm::resolve_addr));
  ON_CALL(*this, resolve_route).WillByDefault(testing::Invoke(&fake, &Rdmacm::resolve_route));
  ON_CALL(*this, get_src_port).WillByDefault(testing::Invoke(&fake, &Rdmacm::get_src_port));
  ON_CALL(*this, get_dst_port).WillByDefault(testing::Invoke(&fake, &Rdmacm::get_dst_port));
  ON_CALL(*this, create_qp).WillByDefault(testing::Invoke(&fake, &Rdmacm::create_qp));
  ON_CALL(*this, create_qp_ex).WillByDefault(testing::Invoke(&fake, &Rdmacm::create_qp_ex));
  ON_CALL(*this, destroy_qp).WillByDefault(testing::Invoke(&fake, &Rdmacm::destroy_qp));
  ON_CALL(*this, connect).WillByDefault(testing::Invoke(&fake, &Rdmacm::connect));
  ON_CALL(*this, accept).WillByDefault(testing::Invoke(&fake, &Rdmacm::accept));
  ON_CALL(*this, reject).WillByDefault(testing::Invoke(&fake, &Rdmacm::reject));
  ON_CALL(*this, establish).WillByDefault(testing::Invoke(&fake, &Rdmacm::establish));
  ON_CALL(*this, disconnect).WillByDefault(testing::Invoke(&fake, &Rdmacm::disconnect));
  ON_CALL(*this, get_cm_event).WillByDefault(testing::Invoke(&fake, &Rdmacm::get_cm_event));
  ON_CALL(*this, ack_cm_event).WillByDefault(testing::Invoke(&fake, &Rdmacm::ack_cm_event));
  ON_CALL(*this, event_str).WillByDefault(testing::Invoke(&fake, &Rdmacm::event_str));
}

MockVerbs::MockVerbs(Verbs& fake) {
  ON_CALL(*this, get_device_list).WillByDefault(testing::Invoke(&fake, &Verbs::get_device_list));
  ON_CALL(*this, free_device_list).WillByDefault(testing::Invoke(&fake, &Verbs::free_device_list));
  ON_CALL(*this, get_device_name).WillByDefault(testing::Invoke(&fake, &Verbs::get_device_name));
  ON_CALL(*this, open_device).WillByDefault(testing::Invoke(&fake, &Verbs::open_device));
  ON_CALL(*this, close_device).WillByDefault(testing::Invoke(&fake, &Verbs::close_device));
  ON_CALL(*this, query_device).WillByDefault(testing::Invoke(&fake, &Verbs::query_device));
  ON_CALL(*this, alloc_pd).WillByDefault(testing::Invoke(&fake, &Verbs::alloc_pd));
  ON_CALL(*this, dealloc_pd).WillByDefault(testing::Invoke(&fake, &Verbs::dealloc_pd));
  ON_CALL(*this, reg_mr).WillByDefault(testing::Invoke(&fake, &Verbs::reg_mr));
  ON_CALL(*this, dereg_mr).WillByDefault(testing::Invoke(&fake, &Verbs::dereg_mr));
  ON_CALL(*this, create_comp_channel).WillByDefault(testing::Invoke(&fake, &Verbs::create_comp_channel));
  ON_CALL(*this, destroy_comp_channel).WillByDefault(testing::Invoke(&fake, &Verbs::destroy_comp_channel));
  ON_CALL(*this, create_cq).WillByDefault(testing::Invoke(&fake, &Verbs::create_cq));
  ON_CALL(*this, destroy_cq).WillByDefault(testing::Invoke(&fake, &Verbs::destroy_cq));
  ON_CALL(*this, get_cq_event).WillByDefault(testing::Invoke(&fake, &Verbs::get_cq_event));
  ON_CALL(*this, ack_cq_events).WillByDefault(testing::Invoke(&fake, &Verbs::ack_cq_events));
  ON_CALL(*this, create_srq).WillByDefault(testing::Invoke(&fake, &Verbs::create_srq));
  ON_CALL(*this, destroy_srq).WillByDefault(testing::Invoke(&fake, &Verbs::destroy_srq));
}

}  // namespace rdmamock
