// SPDX-License-Identifier: BSD-3-Clause
// A small listener that calls the provider, correct or with one deliberate mistake.
#pragma once

#include <rdma/rdma_cma.h>

namespace toy {

enum class Mistake {
  None,
  TrustsErrno,               // treats a failed call with errno 0 as a success
  DestroysUnmadeId,          // destroys *id after rdma_create_id failed
  DistrustsReusedAddress,    // treats a cm id with the address of a released one as an error
  TakesZeroForNoDescriptor,  // treats descriptor 0 as a failure
  FreesUnmadeInfo,           // frees *res after rdma_getaddrinfo failed
  ChecksForMinusOneOnly,     // ignores EAI_* values of rdma_getaddrinfo
  FreesEveryResult,          // frees each result of a chain
  FreesInfoTwice,
  FreesBeforeBind,  // then binds the freed address
  LeaksInfo,
  LeaksId,        // on failure
  LeaksChannel,   // on failure
  BindsWildcard,  // instead of the result's address
  WrongPortSpace,
  NotPassive,
  ListensUnbound,
  RetriesForEver,          // while rdma_listen fails with EINTR
  SwallowsEvents,          // reads and acknowledges the events queued when rdma_listen returns
  TakesEventsForFailures,  // fails if an event is queued
  LeavesEventUnacknowledged,
  DestroysChannelFirst  // the channel before the cm id
};

struct Endpoint {
  rdma_event_channel* channel = nullptr;
  rdma_cm_id* id = nullptr;
};

// Listen on node and service. Returns 0 and fills *endpoint, or returns -1.
int listen(const char* node, const char* service, Mistake mistake, Endpoint* endpoint);

void shut_down(const Endpoint& endpoint, Mistake mistake);

}  // namespace toy
