/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rdmamock.h -- the control interface of librdmamock.so, the mock provider.
 *
 * The library exports the librdmacm and libibverbs calls that a listener and its client make. It is preloaded
 * after the shim, which finds it with dlsym(RTLD_NEXT). Calls go to a stateful fake: one device, event
 * channels, cm ids, ports, connection requests. While a script runs, a GoogleMock object comes first. Each
 * call suspends the thread's shim rules, since the library allocates.
 *
 * A script is a named set of expectations and actions, for behaviour that no kernel shows on demand. Failed
 * expectations are returned by rdmamock_end(), and printed nowhere.
 */
#ifndef RDMAMOCK_H
#define RDMAMOCK_H

#include <stddef.h> /* NOLINT(modernize-deprecated-headers): for C too */
#include <stdint.h> /* NOLINT(modernize-deprecated-headers): for C too */

#ifdef __cplusplus
extern "C" {
#endif

#define RDMAMOCK_DEVICE "mock0"
#define RDMAMOCK_ADDR "192.0.2.1"    /* an address of the fake device */
#define RDMAMOCK_ADDR6 "2001:db8::1" /* another */
#define RDMAMOCK_PORT "7204"         /* the port for scripts, at either address */

struct rdmamock_script {
  const char* name;    /* UpperCamelCase, unique */
  const char* what;    /* one sentence: what the provider does under this script */
  const char* fails;   /* the provider function that fails; NULL: none, or without an error return */
  int expect_success;  /* 1: the listen call must succeed; 0: it must fail with RPMA_E_PROVIDER */
  int pending_request; /* 1: after a success the endpoint must deliver one connection request */
};

/* The table of scripts, *count of them, valid for the life of the process. */
const struct rdmamock_script* rdmamock_scripts(size_t* count);

struct rdmamock_outcome {
  uint32_t failures; /* failed expectations, and calls that break the API */
  char text[2000];   /* the first failures, NUL-terminated */
};

/* Start a script; NULL: only the fake. A script applies to the next listener: call this after the set-up
 * (which creates cm ids) and right before the listen call, for one of the addresses and RDMAMOCK_PORT.
 * Returns 0, or -1 with errno EINVAL (no such script) or EBUSY (begun already). */
int rdmamock_begin(const char* script);

/* Verify the expectations and end the script. Fills *outcome with all failures since the last end, including
 * calls that break the provider's API, with or without a script. Call this after the shutdown of the
 * endpoint: a script of a failing listen also expects that everything is released. The fake keeps its state.
 */
void rdmamock_end(struct rdmamock_outcome* outcome);

/* The number of objects of the fake that exist, to cross-check the ledger of the shim's records. Objects that
 * librdmacm keeps for itself are not counted: the channel of an id created without one, its device context
 * and its protection domain. */
struct rdmamock_state {
  uint32_t channels, ids;
  uint32_t listeners; /* of the ids */
  uint32_t addrinfos; /* chains, not results */
  uint32_t contexts, pds, qps, cqs, mrs;
  uint32_t events; /* queued, or delivered and not acknowledged */
};

#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* the function has the name of the structure, as stat(2) has */
#endif
void rdmamock_state(struct rdmamock_state* state);
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

#ifdef __cplusplus
}
#endif

#endif /* RDMAMOCK_H */
