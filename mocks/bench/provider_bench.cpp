// SPDX-License-Identifier: BSD-3-Clause
//
// What the shim costs a provider call: the mock's event channels, called through the shim and directly. Both
// are linked in the order in which they would be preloaded.
#include <benchmark/benchmark.h>
#include <dlfcn.h>
#include <rdma/rdma_cma.h>

#include "mocks/rdmamock.h"
#include "shim/bench/ratios.h"

namespace {

struct Channels {
  rdma_event_channel* (*create)();
  void (*destroy)(rdma_event_channel* channel);
};

void create_and_destroy(benchmark::State& state, const Channels& channels) {
  for ([[maybe_unused]] auto _ : state) {
    rdma_event_channel* channel = channels.create();
    if (channel == nullptr) return state.SkipWithError("no event channel");
    channels.destroy(channel);
  }
}

constexpr rpmaconf::bench::Goal kGoals[] = {{"event_channel", "disarmed", 1.10}};

}  // namespace

int main(int argc, char** argv) {
  void* const mock = dlopen("librdmamock.so", RTLD_NOW | RTLD_NOLOAD);
  if (mock == nullptr || rdmamock_begin(nullptr) != 0) return 2;
  const Channels own = {
      reinterpret_cast<rdma_event_channel* (*)()>(dlsym(mock, "rdma_create_event_channel")),
      reinterpret_cast<void (*)(rdma_event_channel*)>(dlsym(mock, "rdma_destroy_event_channel"))};
  benchmark::RegisterBenchmark("event_channel/bare", create_and_destroy, own);
  benchmark::RegisterBenchmark("event_channel/disarmed", create_and_destroy,
                               Channels{rdma_create_event_channel, rdma_destroy_event_channel});
  const int code = rpmaconf::bench::run(argc, argv, kGoals);
  rdmamock_outcome outcome{};
  rdmamock_end(&outcome);
  return outcome.failures == 0 ? code : 1;
}
