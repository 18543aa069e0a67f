// SPDX-License-Identifier: BSD-3-Clause
// A small listener on the provider's own calls, right or with one deliberate mistake.
#pragma once

#include <rdma/rdma_cma.h>

namespace toy {

enum class Mistake {
  None,
  TrustsErrno,               // takes a failed call that left errno 0 for a success
  DestroysUnmadeId,          // destroys whatever *id holds after rdma_create_id failed
  DistrustsReusedAddress,    // takes a cm id at the address of a released one for an error
  TakesZeroForNoDescriptor,  // takes descriptor 0 for none
  FreesUnmadeInfo,           // frees whatever *res holds after rdma_getaddrinfo failed
  ChecksForMinusOneOnly,     // knows one of rdma_getaddrinfo's two ways to fail
  FreesEveryResult,          // frees each result of a chain
  FreesInfoTwice,
  FreesBeforeBind,  // and binds what it pointed to
  LeaksInfo,
  LeaksId,        // on failure
  LeaksChannel,   // on failure
  BindsWildcard,  // instead of the result's address
  WrongPortSpace,
  NotPassive,
  ListensUnbound,
  RetriesForEver,          // while rdma_listen is interrupted
  SwallowsEvents,          // takes and acknowledges what is queued when rdma_listen returns
  TakesEventsForFailures,  // fails where something is queued
  LeavesEventUnacknowledged,
  DestroysChannelFirst  // the channel before the cm id
};

struct Endpoint {
  rdma_event_channel* channel = nullptr;
  rdma_cm_id* id = nullptr;
};

// Listen on node and service. Returns 0 and fills *endpoint, or -1.
int listen(const char* node, const char* service, Mistake mistake, Endpoint* endpoint);

void shut_down(const Endpoint& endpoint, Mistake mistake);

}  // namespace toy
