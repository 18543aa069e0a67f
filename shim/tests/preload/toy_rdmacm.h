// SPDX-License-Identifier: BSD-3-Clause
//
// A toy librdmacm for the shim's tests: it needs no device, counts its calls and can be made to block.
#ifndef SHIM_TESTS_PRELOAD_TOY_RDMACM_H
#define SHIM_TESTS_PRELOAD_TOY_RDMACM_H

#include <semaphore.h>

extern "C" {

// How often the toy's function of that name was called.
int toy_count(const char* function);

// rdma_listen with this backlog posts toy_entered, then waits for toy_release.
constexpr int kToyBlocks = -4711;
extern sem_t toy_entered;
extern sem_t toy_release;

// rdma_listen with this backlog fails with EADDRINUSE.
constexpr int kToyFails = -4712;
}

#endif  // SHIM_TESTS_PRELOAD_TOY_RDMACM_H
