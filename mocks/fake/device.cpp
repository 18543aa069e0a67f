// SPDX-License-Identifier: BSD-3-Clause
// The fake's objects of libibverbs; see device.h.
#include "mocks/fake/device.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "mocks/rdmamock.h"

namespace rdmamock {
namespace {

constexpr int kMaxCqe = 32767;
constexpr int kMaxQpWr = 16384;
constexpr int kMaxSge = 32;
constexpr int kCompVectors = 1;

// The operation table. The fake moves no data: posted requests never complete.
int poll_cq(ibv_cq*, int, ibv_wc*) {
  return 0;
}
int req_notify_cq(ibv_cq*, int) {
  return 0;
}
int post_send(ibv_qp*, ibv_send_wr*, ibv_send_wr**) {
  return 0;
}
int post_recv(ibv_qp*, ibv_recv_wr*, ibv_recv_wr**) {
  return 0;
}
int post_srq_recv(ibv_srq*, ibv_recv_wr*, ibv_recv_wr**) {
  return 0;
}

template <std::size_t N>
void set_name(char (&field)[N], const char* name) {
  std::strncpy(field, name, N - 1);
}

std::nullptr_t fail_null(int error) {
  errno = error;
  return nullptr;
}

}  // namespace

Device::Device(Complain complain) : complain_(std::move(complain)) {
  device_.node_type = IBV_NODE_CA;
  device_.transport_type = IBV_TRANSPORT_IB;
  set_name(device_.name, RDMAMOCK_DEVICE);
  set_name(device_.dev_name, "uverbs-mock0");
}

template <typename T>
T* Device::known(Registry<T>& registry, const typename Registry<T>::Handle* handle, const char* call) {
  T* object = registry.find(handle);
  if (object == nullptr)
    complain_(std::string(call) + (registry.was_released(handle)
                                       ? ": the handle was released before"
                                       : ": the handle is not one of the provider's"));
  return object;
}

ibv_context* Device::open(bool internal) {
  Context& context = contexts_.make();
  context.internal = internal;
  context.pub.device = &device_;
  context.pub.cmd_fd = -1;
  context.pub.async_fd = -1;
  context.pub.num_comp_vectors = kCompVectors;
  context.pub.ops.poll_cq = poll_cq;
  context.pub.ops.req_notify_cq = req_notify_cq;
  context.pub.ops.post_send = post_send;
  context.pub.ops.post_recv = post_recv;
  context.pub.ops.post_srq_recv = post_srq_recv;
  pthread_mutex_init(&context.pub.mutex, nullptr);
  context.pub.abi_compat = nullptr;  // not extended: inline verbs fall back to the exported functions
  return &context.pub;
}

int Device::close(ibv_context* context) {
  Context* found = known(contexts_, context, "ibv_close_device");
  if (found == nullptr) return EINVAL;
  if (found->internal) {
    complain_("ibv_close_device: the context belongs to librdmacm");
    return EINVAL;
  }
  if (pds_.count([context](const Pd& pd) { return pd.pub.context == context; }) != 0)
    complain_("ibv_close_device: protection domains are still allocated on the context");
  contexts_.release(*found);
  return 0;
}

int Device::query(ibv_context* context, ibv_device_attr* attr) {
  if (known(contexts_, context, "ibv_query_device") == nullptr) return EINVAL;
  *attr = ibv_device_attr{};
  set_name(attr->fw_ver, "0.0.0");
  attr->max_mr_size = ~std::uint64_t{0};
  attr->page_size_cap = 0xfffff000;
  attr->max_qp = 1024;
  attr->max_qp_wr = kMaxQpWr;
  attr->max_sge = kMaxSge;
  attr->max_sge_rd = kMaxSge;
  attr->max_cq = 1024;
  attr->max_cqe = kMaxCqe;
  attr->max_mr = 1024;
  attr->max_pd = 1024;
  attr->max_qp_rd_atom = 128;
  attr->max_qp_init_rd_atom = 128;
  attr->max_srq = 1024;
  attr->max_srq_wr = kMaxQpWr;
  attr->max_srq_sge = kMaxSge;
  attr->max_pkeys = 1;
  attr->phys_port_cnt = 1;
  return 0;
}

ibv_pd* Device::alloc_pd(ibv_context* context, bool internal) {
  if (known(contexts_, context, "ibv_alloc_pd") == nullptr) return fail_null(EINVAL);
  Pd& pd = pds_.make();
  pd.internal = internal;
  pd.pub.context = context;
  return &pd.pub;
}

int Device::dealloc_pd(ibv_pd* pd) {
  Pd* found = known(pds_, pd, "ibv_dealloc_pd");
  if (found == nullptr) return EINVAL;
  if (found->users != 0) return EBUSY;
  pds_.release(*found);
  return 0;
}

ibv_mr* Device::reg_mr(ibv_pd* pd, void* addr, size_t length) {
  Pd* found = known(pds_, pd, "ibv_reg_mr");
  if (found == nullptr) return fail_null(EINVAL);
  Mr& mr = mrs_.make();
  mr.pub.context = pd->context;
  mr.pub.pd = pd;
  mr.pub.addr = addr;
  mr.pub.length = length;
  mr.pub.lkey = mr.pub.rkey = next_key_++;
  ++found->users;
  return &mr.pub;
}

int Device::dereg_mr(ibv_mr* mr) {
  Mr* found = known(mrs_, mr, "ibv_dereg_mr");
  if (found == nullptr) return EINVAL;
  --pds_.find(mr->pd)->users;
  mrs_.release(*found);
  return 0;
}

ibv_comp_channel* Device::create_comp_channel(ibv_context* context) {
  if (known(contexts_, context, "ibv_create_comp_channel") == nullptr) return fail_null(EINVAL);
  const int fd = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
  if (fd < 0) return nullptr;
  CompChannel& channel = channels_.make();
  channel.pub.context = context;
  channel.pub.fd = fd;
  return &channel.pub;
}

int Device::destroy_comp_channel(ibv_comp_channel* channel) {
  CompChannel* found = known(channels_, channel, "ibv_destroy_comp_channel");
  if (found == nullptr) return EINVAL;
  if (found->users != 0) return EBUSY;
  ::close(channel->fd);
  channels_.release(*found);
  return 0;
}

ibv_cq* Device::create_cq(ibv_context* context, int cqe, void* cq_context, ibv_comp_channel* channel,
                          int comp_vector) {
  if (known(contexts_, context, "ibv_create_cq") == nullptr) return fail_null(EINVAL);
  CompChannel* comp = channel == nullptr ? nullptr : known(channels_, channel, "ibv_create_cq");
  if (channel != nullptr && comp == nullptr) return fail_null(EINVAL);
  if (cqe < 1 || cqe > kMaxCqe || comp_vector < 0 || comp_vector >= kCompVectors) return fail_null(EINVAL);
  if (comp != nullptr) {
    ++comp->users;
    ++comp->pub.refcnt;
  }
  Cq& cq = cqs_.make();
  cq.pub.context = context;
  cq.pub.channel = channel;
  cq.pub.cq_context = cq_context;
  cq.pub.cqe = cqe;
  return &cq.pub;
}

int Device::destroy_cq(ibv_cq* cq) {
  Cq* found = known(cqs_, cq, "ibv_destroy_cq");
  if (found == nullptr) return EINVAL;
  if (found->users != 0) return EBUSY;
  if (cq->channel != nullptr) {
    --channels_.find(cq->channel)->users;
    --cq->channel->refcnt;
  }
  cqs_.release(*found);
  return 0;
}

void Device::ack_cq_events(ibv_cq* cq, unsigned count) {
  if (known(cqs_, cq, "ibv_ack_cq_events") == nullptr) return;
  if (count != 0) complain_("ibv_ack_cq_events: more events acknowledged than received");
}

ibv_srq* Device::create_srq(ibv_pd* pd, ibv_srq_init_attr* attr) {
  Pd* found = known(pds_, pd, "ibv_create_srq");
  if (found == nullptr) return fail_null(EINVAL);
  if (attr->attr.max_wr == 0 || attr->attr.max_wr > kMaxQpWr) return fail_null(EINVAL);
  Srq& srq = srqs_.make();
  srq.pub.context = pd->context;
  srq.pub.srq_context = attr->srq_context;
  srq.pub.pd = pd;
  ++found->users;
  return &srq.pub;
}

int Device::destroy_srq(ibv_srq* srq) {
  Srq* found = known(srqs_, srq, "ibv_destroy_srq");
  if (found == nullptr) return EINVAL;
  if (found->users != 0) return EBUSY;
  --pds_.find(srq->pd)->users;
  srqs_.release(*found);
  return 0;
}

ibv_qp* Device::create_qp(const ibv_qp_init_attr_ex& attr) {
  Pd* pd = known(pds_, attr.pd, "rdma_create_qp");
  Cq* send = known(cqs_, attr.send_cq, "rdma_create_qp");
  Cq* recv = known(cqs_, attr.recv_cq, "rdma_create_qp");
  Srq* srq = attr.srq == nullptr ? nullptr : known(srqs_, attr.srq, "rdma_create_qp");
  if (pd == nullptr || send == nullptr || recv == nullptr || (attr.srq != nullptr && srq == nullptr))
    return fail_null(EINVAL);
  if (attr.cap.max_send_wr > kMaxQpWr || attr.cap.max_recv_wr > kMaxQpWr) return fail_null(EINVAL);
  ++pd->users;
  ++send->users;
  ++recv->users;
  if (srq != nullptr) ++srq->users;
  Qp& qp = qps_.make();
  qp.pub.context = attr.pd->context;
  qp.pub.qp_context = attr.qp_context;
  qp.pub.pd = attr.pd;
  qp.pub.send_cq = attr.send_cq;
  qp.pub.recv_cq = attr.recv_cq;
  qp.pub.srq = attr.srq;
  qp.pub.qp_num = next_qp_num_++;
  qp.pub.state = IBV_QPS_INIT;
  qp.pub.qp_type = attr.qp_type;
  return &qp.pub;
}

void Device::destroy_qp(ibv_qp* qp) {
  Qp* found = known(qps_, qp, "rdma_destroy_qp");
  if (found == nullptr) return;
  --pds_.find(qp->pd)->users;
  --cqs_.find(qp->send_cq)->users;
  --cqs_.find(qp->recv_cq)->users;
  if (qp->srq != nullptr) --srqs_.find(qp->srq)->users;
  qps_.release(*found);
}

std::uint32_t Device::contexts() const {
  return contexts_.count([](const Context& context) { return !context.internal; });
}

std::uint32_t Device::pds() const {
  return pds_.count([](const Pd& pd) { return !pd.internal; });
}

}  // namespace rdmamock
