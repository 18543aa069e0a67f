/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rdmamock.h -- the control interface of librdmamock.so, the mock provider.
 *
 * The library exports the librdmacm and libibverbs calls that a listener and its client make. It is preloaded
 * below the shim, which finds it with dlsym(RTLD_NEXT). Each call goes through a GoogleMock object that
 * delegates to a stateful fake: one device, event channels, cm ids, ports, connection requests. Entering the
 * library suspends the thread's shim rules, since GoogleMock allocates.
 *
 * A script is a named set of expectations and actions for what no kernel shows on demand. Expectation
 * failures are handed to the caller: this library's GoogleTest has no other audience.
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
#define RDMAMOCK_PORT "7204"         /* what scripts expect to be listened on, at either */

struct rdmamock_script {
  const char* name;    /* UpperCamelCase, unique */
  const char* what;    /* one sentence: what the provider does under this script */
  const char* fails;   /* the provider function that fails; NULL: none, or by no plain error return */
  int expect_success;  /* 1: the listen call must succeed; 0: it must fail with RPMA_E_PROVIDER */
  int pending_request; /* 1: after a success the endpoint must deliver one connection request */
};

/* The table of scripts, *count of them, valid for the life of the process. */
const struct rdmamock_script* rdmamock_scripts(size_t* count);

struct rdmamock_outcome {
  uint32_t failures; /* expectations that were not met */
  char text[2000];   /* the first of them, as GoogleMock words them, NUL-terminated */
};

/* Put a script's expectations on top of the fake; NULL: none, the plain fake. A script means the first
 * listener that is made from now on: call this after the set-up (which makes cm ids of its own) and right
 * before the listen call, for one of the addresses and RDMAMOCK_PORT. Returns 0, or -1 with errno EINVAL (no
 * such script) or EBUSY (one is on). */
int rdmamock_begin(const char* script);

/* Verify the expectations and take them away again; fills *outcome with all failures since the last end,
 * those of calls that break the provider's API included, script or not. To be called after the endpoint was
 * shut down: a script of a failing listen also expects that nothing was kept. The fake keeps its state. */
void rdmamock_end(struct rdmamock_outcome* outcome);

/* What callers hold of the fake at this moment, for the harness's own cross-check of the shim's ledger. What
 * librdmacm would keep for itself is not counted: the channel of an id made without one, its device context
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
