// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/attribution.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <iterator>

#include "conformance/harness/codes.h"

namespace conformance {
namespace {

bool is_iut_provider_call(const Library& library, const Evidence& evidence, const rdmafault_record& record) {
  return function_of(record).kind == RDMAFAULT_PROVIDER && role_of(library, evidence, record) == "iut";
}

bool has_failed(const rdmafault_record& record) {
  switch (function_of(record).convention) {
    case RDMAFAULT_POINTER:
      return record.result == 0;
    case RDMAFAULT_VOID:
      return false;
    case RDMAFAULT_SYSTEM:
      return record.error != 0;
    default:
      return record.result != 0;
  }
}

// Whether the IUT repeats one provider call without end. Then the IUT hangs, although the innermost frame is
// in the provider.
bool calls_without_end(const Library& library, const Evidence& evidence) {
  constexpr int kRepeats = 16;
  const rdmafault_function* last = nullptr;
  int repeats = 0;
  for (const rdmafault_record& record : evidence.records) {
    if (!is_iut_provider_call(library, evidence, record)) continue;
    repeats = &function_of(record) == last ? repeats + 1 : 0;
    last = &function_of(record);
    if (repeats >= kRepeats) return true;
  }
  return false;
}

// The role of the innermost recorded frame of a module that can be at fault; empty: there is none.
std::string innermost_suspect(const Library& library, const Observation& seen) {
  const size_t frames = std::min<size_t>(seen.frames, seen.frame.size());
  for (size_t i = 0; i < frames; ++i)
    if (std::string role = role_of(library, seen.frame.at(i).file.data()); is_suspect(role)) return role;
  return {};
}

}  // namespace

bool is_suspect(const std::string& role) {
  return role == "iut" || role == "rdmacm" || role == "ibverbs" || role == "driver" || role == "netlink";
}

std::string show(const Place& place) {
  return place.file[0] == '\0' ? fmt::format("{:#x}", place.address)
                               : fmt::format("{}+{:#x}", place.file.data(), place.offset);
}

bool is_crash_signal(int signal) {
  constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP};
  return std::ranges::find(crashes, signal) != std::end(crashes);
}

std::vector<std::string> misuse_before_the_end(const Library& library, const Evidence& evidence) {
  // Each thread's log is settled separately: records of different logs have no order.
  std::vector<std::string> illegal;
  uint32_t first = evidence.observation.call_first;
  const auto settle_until = [&](uint32_t end) {
    std::vector<std::string> more = settle(library, evidence, {{first, end}}).illegal;
    illegal.insert(illegal.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
    first = end;
  };
  for (const Evidence::Thread& thread : evidence.threads) settle_until(thread.first_record);
  settle_until(static_cast<uint32_t>(evidence.records.size()));
  return illegal;
}

// If no frame belongs to a module that can be at fault (all are in libc, the loader or no object), the IUT is
// at fault: the harness called it.
std::string module_that_crashed(const Library& library, const Evidence& evidence) {
  if (!misuse_before_the_end(library, evidence).empty()) return "iut";
  std::string role = innermost_suspect(library, evidence.observation);
  return role.empty() ? "iut" : role;
}

// The module that waits or spins, possibly inside libc. Without a stack: the provider if one of its calls did
// not return, otherwise the IUT.
std::string module_that_hangs(const Library& library, const Evidence& evidence) {
  if (!misuse_before_the_end(library, evidence).empty()) return "iut";
  if (calls_without_end(library, evidence)) return "iut";
  if (std::string role = innermost_suspect(library, evidence.observation); !role.empty()) return role;
  for (const rdmafault_record& record : evidence.records)
    if ((record.flags & RDMAFAULT_COMPLETE) == 0 && function_of(record).kind == RDMAFAULT_PROVIDER)
      return "rdmacm";
  std::string role = role_of(library, evidence.observation.stuck.file.data());
  return is_suspect(role) ? role : "iut";
}

std::string really_failed(const Library& library, const Evidence& evidence, Window window) {
  for (uint32_t i = window.first; i < window.last && i < evidence.records.size(); ++i) {
    const rdmafault_record& record = evidence.records[i];
    if ((record.flags & RDMAFAULT_INJECTED) != 0 || !has_failed(record) ||
        !is_iut_provider_call(library, evidence, record))
      continue;
    return fmt::format(
        "{} failed without a rule, with {}: a busy port, a missing device or a limit",
        function_of(record).name,
        record.error != 0 ? error_name(record.error) : fmt::format("result {}", record.result));
  }
  return {};
}

bool iut_asks_the_provider(const Library& library, const Evidence& evidence) {
  return std::ranges::any_of(evidence.records, [&](const rdmafault_record& record) {
    return is_iut_provider_call(library, evidence, record);
  });
}

}  // namespace conformance
