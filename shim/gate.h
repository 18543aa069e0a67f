// SPDX-License-Identifier: BSD-3-Clause
//
// The gate: instructions whose system calls the kernel lets through, while it raises SIGSYS for all others of
// an armed thread.
#ifndef SHIM_GATE_H
#define SHIM_GATE_H

#include <cstddef>
#include <cstdint>

// Assembly; its names are C's.
extern "C" {

// The range, [begin, end). NOLINTBEGIN(bugprone-dynamic-static-initializers): the assembler defines them
[[gnu::visibility("hidden")]] extern const char rdmafault_gate_begin;
[[gnu::visibility("hidden")]] extern const char rdmafault_gate_end;
// NOLINTEND(bugprone-dynamic-static-initializers)

// Makes a system call; returns the kernel's result.
[[gnu::visibility("hidden")]] std::int64_t rdmafault_gate_call(std::int64_t number, const std::int64_t* args);

// The return address of signal handlers: calls rt_sigreturn. Do not call it.
[[gnu::visibility("hidden")]] void rdmafault_gate_restorer();

// Landings, kLandingSize bytes apart: each makes a system call, then jumps to rdmafault_landing_returns[i].
[[gnu::visibility("hidden")]] extern const char
    rdmafault_landings;  // NOLINT(bugprone-dynamic-static-initializers): the assembler defines it
}

namespace rdmafault {

inline constexpr std::size_t kLandings = 8;
inline constexpr std::size_t kLandingSize = 8;

// Makes a system call through the gate.
template <class... Args>
std::int64_t call_kernel(long number, Args... args) {
  static_assert(sizeof...(args) <= 6);
  const std::int64_t all[6] = {static_cast<std::int64_t>(args)...};
  return rdmafault_gate_call(number, all);
}

// An address as an argument of a system call.
inline std::int64_t as_arg(const void* address) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
}

}  // namespace rdmafault

#endif  // SHIM_GATE_H
