// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/expectations.h"

#include <librpma.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "conformance/harness/ledger.h"

namespace conformance {
namespace {

struct Row {
  std::string_view function;
  std::string_view clause;
};
constexpr Row kRows[] = {
    {"rdma_create_event_channel", "LISTEN-PROVIDER-1"},
    {"rdma_create_id", "LISTEN-PROVIDER-2"},
    {"rdma_getaddrinfo", "LISTEN-PROVIDER-3"},
    {"rdma_bind_addr", "LISTEN-PROVIDER-4"},
    {"rdma_listen", "LISTEN-PROVIDER-5"},
};

}  // namespace

Expectation no_memory() {
  return {.promise = Promise::Failure, .code = RPMA_E_NOMEM, .code_clauses = {"LISTEN-NOMEM-1"}};
}

Expectation provider_failed(std::vector<std::string_view> clauses) {
  return {.promise = Promise::Failure, .code = RPMA_E_PROVIDER, .code_clauses = std::move(clauses)};
}

std::string_view clause_about(std::string_view function) {
  const auto* const row = std::ranges::find(kRows, function, &Row::function);
  return row == std::end(kRows) ? std::string_view() : row->clause;
}

namespace {

Expectation ruled_by(rdmafault_kind kind, std::string_view function, bool iut) {
  if (iut && kind == RDMAFAULT_ALLOCATOR) return no_memory();
  if (const std::string_view clause = clause_about(function); iut && !clause.empty())
    return provider_failed({clause});
  return {.promise = Promise::Either};
}

}  // namespace

Expectation ruled_by_first_fault(const Library& library, const Evidence& evidence) {
  const auto first = std::ranges::find_if(evidence.records, [](const rdmafault_record& record) {
    return (record.flags & RDMAFAULT_INJECTED) != 0;
  });
  if (first == evidence.records.end()) return {.promise = Promise::Success};
  const rdmafault_function& function = function_of(*first);
  return ruled_by(function.kind, function.name, role_of(library, evidence, *first) == "iut");
}

Expectation ruled_beforehand(const Experiment& experiment) {
  if (experiment.threads > 1) return {.promise = Promise::Success, .threads = true};
  if (experiment.rules.empty())
    return {.promise = experiment.is_disturbed() ? Promise::Either : Promise::Success};
  const Rule& rule = experiment.rules.front();
  const bool iut =
      rule.parsed.caller == RDMAFAULT_ROLE_IS && std::string_view(rule.parsed.caller_name) == "iut";
  return ruled_by(rule.kind(), std::string_view(rule.text).substr(0, rule.text.find(':')), iut);
}

}  // namespace conformance
