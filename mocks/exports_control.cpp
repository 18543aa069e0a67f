// SPDX-License-Identifier: BSD-3-Clause
// The exported control interface, rdmamock.h; its table of scripts is in script_table.cpp.
#include "mocks/enter.h"
#include "mocks/library.h"
#include "mocks/rdmamock.h"

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT int rdmamock_begin(const char* script) {
  return rdmamock::enter(-1, [=] {
    const int error = rdmamock::Library::get().begin(script);
    return error == 0 ? 0 : rdmamock::fail(error);
  });
}

EXPORT void rdmamock_end(rdmamock_outcome* outcome) {
  rdmamock::enter([=] { rdmamock::Library::get().end(*outcome); });
}

EXPORT void rdmamock_state(struct rdmamock_state* state) {
  rdmamock::enter([=] { *state = rdmamock::Library::get().state(); });
}
