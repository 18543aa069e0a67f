// SPDX-License-Identifier: BSD-3-Clause
// Queue pairs of the fake's cm ids, with the completion queues that librdmacm creates if the caller has none.
#include <cerrno>
#include <cstring>

#include "mocks/fake/fake_rdmacm.h"

namespace rdmamock {
namespace {

void destroy_cqs(Device& device, rdma_cm_id& id) {
  for (ibv_cq** cq : {&id.send_cq, &id.recv_cq}) {
    if (*cq != nullptr) device.destroy_cq(*cq);
    *cq = nullptr;
  }
  for (ibv_comp_channel** channel : {&id.send_cq_channel, &id.recv_cq_channel}) {
    if (*channel != nullptr) device.destroy_comp_channel(*channel);
    *channel = nullptr;
  }
}

// A completion channel and queue for one direction, unless the caller has a queue or wants no entries.
bool create_cq(Device& device, rdma_cm_id& id, std::uint32_t size, ibv_cq*& wanted,
               ibv_comp_channel*& channel, ibv_cq*& cq) {
  if (wanted == nullptr && size != 0) {
    channel = device.create_comp_channel(id.verbs);
    if (channel == nullptr) return false;
    cq = device.create_cq(id.verbs, static_cast<int>(size), &id, channel, 0);
    if (cq == nullptr) return false;
    wanted = cq;
  }
  return true;
}

}  // namespace

int FakeRdmacm::create_qp_ex(rdma_cm_id* id, ibv_qp_init_attr_ex* attr) {
  const Lock guard = lock();
  if (known(id, "rdma_create_qp") == nullptr) return fail(EINVAL);
  if (id->qp != nullptr || id->verbs == nullptr) return fail(EINVAL);
  if ((attr->comp_mask & IBV_QP_INIT_ATTR_PD) == 0 || attr->pd == nullptr) {
    attr->comp_mask |= IBV_QP_INIT_ATTR_PD;
    attr->pd = id->pd;
  } else if (id->verbs != attr->pd->context) {
    return fail(EINVAL);
  }
  if (!create_cq(world_.device, *id, attr->cap.max_send_wr, attr->send_cq, id->send_cq_channel,
                 id->send_cq) ||
      !create_cq(world_.device, *id, attr->cap.max_recv_wr, attr->recv_cq, id->recv_cq_channel,
                 id->recv_cq)) {
    destroy_cqs(world_.device, *id);
    return fail(ENOMEM);
  }
  ibv_qp* qp = world_.device.create_qp(*attr);
  if (qp == nullptr) {
    destroy_cqs(world_.device, *id);
    return fail(ENOMEM);  // librdmacm returns ENOMEM for any reason
  }
  id->qp = qp;
  id->pd = qp->pd;
  return 0;
}

int FakeRdmacm::create_qp(rdma_cm_id* id, ibv_pd* pd, ibv_qp_init_attr* attr) {
  ibv_qp_init_attr_ex extended{};
  std::memcpy(static_cast<void*>(&extended), attr, sizeof *attr);
  extended.comp_mask = IBV_QP_INIT_ATTR_PD;
  extended.pd = pd;
  const int result = create_qp_ex(id, &extended);
  std::memcpy(attr, &extended, sizeof *attr);
  return result;
}

void FakeRdmacm::destroy_qp(rdma_cm_id* id) {
  const Lock guard = lock();
  if (known(id, "rdma_destroy_qp") == nullptr) return;
  if (id->qp == nullptr) {
    complain("rdma_destroy_qp", "the cm id has no queue pair");
    return;
  }
  world_.device.destroy_qp(id->qp);
  id->qp = nullptr;
  destroy_cqs(world_.device, *id);
}

}  // namespace rdmamock
