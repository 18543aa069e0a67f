// SPDX-License-Identifier: BSD-3-Clause
// The table of scripts: for the mock, and for programs that list them without it (target rdmamock_scripts).
#include <array>

#include "mocks/rdmamock.h"

namespace {

#define RDMAMOCK_SCRIPT(name, what, fails, succeeds, requests, function) \
  rdmamock_script{#name, what, fails, succeeds, requests},
constexpr std::array kTable{
#include "mocks/scripts.inc"
};
#undef RDMAMOCK_SCRIPT

}  // namespace

extern "C" __attribute__((visibility("default"))) const rdmamock_script* rdmamock_scripts(size_t* count) {
  *count = kTable.size();
  return kTable.data();
}
