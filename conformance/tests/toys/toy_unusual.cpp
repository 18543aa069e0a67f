// SPDX-License-Identifier: BSD-3-Clause
//
// The toy as some maintainers build their library: it counts what was executed (gcov), and has initial-exec
// thread-local storage, as an allocator such as jemalloc has.
#include "conformance/tests/toys/toy_rpma.cpp"  // NOLINT(bugprone-suspicious-include)

namespace {

constexpr int kSize = 8192;

__attribute__((tls_model("initial-exec"))) thread_local volatile char storage[kSize];

__attribute__((constructor)) void use_storage() {
  storage[kSize - 1] = 1;
}

}  // namespace
