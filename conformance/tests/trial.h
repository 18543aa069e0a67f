// SPDX-License-Identifier: BSD-3-Clause
//
// For table tests of the judge: experiments of a correct listener, with evidence built by hand. Each row
// changes one thing in one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/judge.h"

namespace conformance {

// Handles and blocks in the evidence.
enum : uint64_t { kChannel = 0x100, kId = 0x200, kInfo = 0x300, kBlock = 0x400, kEndpoint = 0x500 };
inline constexpr uint64_t kSentinel = 0xdead;
inline constexpr const char* kRdmaDevice = "/dev/infiniband/rdma_cm";

// Modules that call, as indices into Evidence::modules. Libother has no role.
enum Caller : uint16_t { kIut, kRdmacm, kLibc, kOther };

// All that judge() gets.
struct Trial {
  Library library{};
  Experiment experiment{};
  Expectation expectation{};
  Evidence evidence{};
  std::optional<Evidence> control;

  [[nodiscard]] Observation& seen() { return evidence.observation; }
  // The first call of a function in the evidence.
  rdmafault_record& call(std::string_view function);
  // Adds a call at the end of the call under test, or of the release after a success.
  rdmafault_record& add(std::string_view function, Caller caller = kIut);
  rdmafault_record& add_to_undo(std::string_view function, Caller caller = kIut);
  // Takes the first call of a function out of the evidence.
  void forget(std::string_view function);
  // The process ends in `phase`. `files`: the frames' objects, innermost first.
  void die(Phase phase, const std::vector<std::string_view>& files = {"librpma.so.0"});
  void crash(Phase phase, const std::vector<std::string_view>& files = {"librpma.so.0"});
  void hang(Phase phase, const std::vector<std::string_view>& files = {"librpma.so.0"});

  [[nodiscard]] std::vector<ClauseOutcome> judged() const;
};

rdmafault_record call_of(std::string_view function, Caller caller = kIut);
void set_argument(rdmafault_record& record, std::string_view name, int64_t value);
int64_t argument_of(const rdmafault_record& record, std::string_view name);
void make_fail(rdmafault_record& record, int error);  // by itself
void inject_failure(rdmafault_record& record, int error);
Place place_in(std::string_view file);
void open_descriptor(Holdings& holdings, int32_t number, std::string_view target);

// Experiments of a right listener, primed, on a kernel. Each passes all its clauses.
Trial right_success();
Trial right_failure(std::string_view function = "rdma_listen");  // a rule makes the IUT's call fail
Trial right_refusal();                                           // of a NULL peer
Trial right_failure_below();              // malloc fails in librdmacm, which reports it
Trial right_success_above_a_fault();      // malloc fails in librdmacm, which copes
Trial right_failure_under_a_condition();  // rdma_bind_addr really fails
Trial right_threads();  // two threads, two rounds each; rdma_listen fails in the second thread

void use_mock(Trial& trial);

// The outcomes that are not a pass, in order, without the prefix LISTEN-: "RET-2 fail iut, AGAIN-1 broken".
// "EPPTR-1 none": the expectation has this clause, but it has no outcome. "all broken": all clauses are.
// "rest unreached": all clauses not named before are.
std::string summary(const Trial& trial, const std::vector<ClauseOutcome>& outcomes);

struct TrialRow {
  const char* what;
  Trial (*right)();
  void (*change)(Trial& trial);
  const char* outcomes;    // as summary() puts it; empty: all pass
  const char* token = "";  // a part of the first reason: a name or a number
};

// Judges each row; a failure names it.
void expect_outcomes(const TrialRow* rows, size_t count);
template <size_t N>
void expect_outcomes(const TrialRow (&rows)[N]) {
  expect_outcomes(rows, N);
}

}  // namespace conformance
