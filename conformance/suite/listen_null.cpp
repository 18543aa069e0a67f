// SPDX-License-Identifier: BSD-3-Clause
//
// rpma_ep_listen(3) with NULL arguments, in all 15 combinations. Judges:
//   LISTEN-INVAL-1..4  RPMA_E_INVAL for a NULL peer, addr, port, ep_ptr
//   LISTEN-INVAL-5     no provider function was called
// and after every failure: RET-2, EPPTR-1, LEAK-1..4, LEGAL-1, AGAIN-1.
#include <fmt/format.h>
#include <librpma.h>

#include "conformance/harness/listen_operation.h"
#include "conformance/suite/suite.h"

namespace conformance {
namespace {

struct Argument {
  unsigned bit;
  const char* name;  // in a test's name
  const char* clause;
};
constexpr Argument kArguments[] = {
    {kPeerNull, "Peer", "LISTEN-INVAL-1"},
    {kAddrNull, "Addr", "LISTEN-INVAL-2"},
    {kPortNull, "Port", "LISTEN-INVAL-3"},
    {kEpPtrNull, "EpPtr", "LISTEN-INVAL-4"},
};

Test with_nulls(unsigned nulls) {
  Expectation expectation{
      .promise = Promise::Failure, .code = RPMA_E_INVAL, .code_clauses = {}, .asks_nothing = true};
  std::string names;
  for (const Argument& argument : kArguments) {
    if ((nulls & argument.bit) == 0) continue;
    names += argument.name;
    expectation.code_clauses.emplace_back(argument.clause);
  }
  Test test;
  test.group = "Listen";
  test.name = fmt::format("Null{}GivesEInval", names);
  test.what = "NULL arguments give RPMA_E_INVAL, and the provider is not called.";
  test.cases = in_all_settings(listen_operation({.nulls = nulls}), {}, expectation);
  return test;
}

}  // namespace

std::vector<Test> listen_null_tests() {
  std::vector<Test> tests;
  for (unsigned nulls = 1; nulls < 16; ++nulls) tests.push_back(with_nulls(nulls));
  return tests;
}

}  // namespace conformance
