// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/shared_memory.h"

#include <algorithm>

namespace conformance {
namespace {

// A cold start makes a few thousand allocations; a log that overflows makes its experiment broken, not wrong.
constexpr uint32_t kRecords = 32768;

// A cache line: different processes and threads write to different lines.
constexpr size_t kAlignment = 64;

constexpr size_t aligned(size_t size) {
  return (size + kAlignment - 1) / kAlignment * kAlignment;
}

constexpr size_t kLogOffset = aligned(sizeof(Observation));
constexpr size_t kThreadLogOffset = aligned(sizeof(ThreadSeen));

// Copies a log's contents; returns its end.
const std::byte* add_log(Evidence& evidence, std::span<const std::byte> memory) {
  const auto& log = *reinterpret_cast<const rdmafault_log*>(memory.data());
  const uint32_t kept = std::min(log.count, log.capacity);
  evidence.dropped += log.count - kept;
  evidence.uncovered += log.uncovered;
  const auto modules_before = static_cast<uint16_t>(evidence.modules.size());
  for (rdmafault_record record : std::span(log.records, kept)) {
    if (record.module != RDMAFAULT_NONE) record.module += modules_before;
    evidence.records.push_back(record);
  }
  evidence.modules.insert(evidence.modules.end(), log.modules,
                          log.modules + std::min<uint32_t>(log.module_count, RDMAFAULT_MAX_MODULES));
  return reinterpret_cast<const std::byte*>(log.records + kept);
}

}  // namespace

size_t experiment_memory_size(const Library& library) {
  return kLogOffset + library.shim.log_size(kRecords);
}

Observation& observation_in(std::span<std::byte> memory) {
  return *reinterpret_cast<Observation*>(memory.data());
}

std::span<std::byte> log_memory_in(std::span<std::byte> memory) {
  return memory.subspan(kLogOffset);
}

std::span<std::byte> share_of(std::span<std::byte> log_memory, unsigned threads, unsigned index) {
  if (threads <= 1) return log_memory;
  const size_t size = log_memory.size() / (threads + 1) / kAlignment * kAlignment;
  return log_memory.subspan(index * size, size);
}

ThreadSeen& thread_seen_in(std::span<std::byte> share) {
  return *reinterpret_cast<ThreadSeen*>(share.data());
}

std::span<std::byte> thread_log_in(std::span<std::byte> share) {
  return share.subspan(kThreadLogOffset);
}

size_t gather(Evidence& evidence, const Experiment& experiment, std::span<std::byte> memory) {
  evidence.observation = observation_in(memory);
  const std::byte* end = memory.data();
  for (unsigned i = 0; i < (experiment.threads > 1 ? experiment.threads + 1 : 1); ++i) {
    std::span<std::byte> log = share_of(log_memory_in(memory), experiment.threads, i);
    if (i > 0) {
      evidence.threads.push_back({thread_seen_in(log), static_cast<uint32_t>(evidence.records.size())});
      log = thread_log_in(log);
    }
    end = add_log(evidence, log);
  }
  return static_cast<size_t>(end - memory.data());
}

}  // namespace conformance
