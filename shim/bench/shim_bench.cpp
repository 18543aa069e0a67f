// SPDX-License-Identifier: BSD-3-Clause
//
// What the shim costs the program. It is linked before libc, so it comes first as if preloaded.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "shim/bench/malloc_free.h"
#include "shim/bench/ratios.h"
#include "shim/rdmafault.h"

namespace rpmaconf::bench {
namespace {

// Calls of an armed thread. The log is emptied now and then, as for a new experiment.
class Armed {
 public:
  Armed(uint32_t capacity, uint32_t flags) : memory_(rdmafault_log_size(capacity)) {
    log_ = rdmafault_log_init(memory_.data(), memory_.size());
    rdmafault_rule rule{};
    rdmafault_error error{};
    // Never fires: there is no caller of this name.
    if (rdmafault_parse("malloc:error=ENOMEM:when=1+:caller=librpma.so.0", &rule, &error) != 0)
      failed_ = error.message;
    const rdmafault_session session = {
        .log = log_, .rules = &rule, .rule_count = 1, .roles = nullptr, .role_count = 0, .flags = flags};
    if (failed_.empty() && rdmafault_arm(&session) != 0) failed_ = std::strerror(errno);
  }
  ~Armed() { rdmafault_disarm(); }
  Armed(const Armed&) = delete;
  Armed& operator=(const Armed&) = delete;
  Armed(Armed&&) = delete;
  Armed& operator=(Armed&&) = delete;

  const std::string& failed() const { return failed_; }
  void empty_log() { log_->count = 0; }

 private:
  std::vector<char> memory_;
  rdmafault_log* log_ = nullptr;
  std::string failed_;
};

void armed(benchmark::State& state, uint32_t capacity, uint32_t flags) {
  Armed armed(capacity, flags);
  if (!armed.failed().empty()) return state.SkipWithError(armed.failed().c_str());
  const auto size = static_cast<std::size_t>(state.range(0));
  uint32_t calls = 0;
  for ([[maybe_unused]] auto _ : state) {
    AsLinked::release(AsLinked::allocate(size));
    if ((calls += 2) < capacity) continue;
    calls = 0;
    armed.empty_log();
  }
}

constexpr uint32_t kRecords = 4096;
constexpr Goal kGoals[] = {{"malloc_free", "disarmed", 1.10}, {"malloc_free", "counting", 1.5}};

}  // namespace
}  // namespace rpmaconf::bench

int main(int argc, char** argv) {
  using namespace rpmaconf::bench;
  using benchmark::RegisterBenchmark;
  for_sizes(RegisterBenchmark("malloc_free/bare", malloc_free<Libc>));
  for_sizes(RegisterBenchmark("malloc_free/disarmed", malloc_free<AsLinked>));
  for_sizes(RegisterBenchmark("malloc_free/counting", armed, kRecords, uint32_t{RDMAFAULT_INJECTED_ONLY}));
  for_sizes(RegisterBenchmark("malloc_free/recording", armed, kRecords, uint32_t{0}));
  return run(argc, argv, kGoals);
}
