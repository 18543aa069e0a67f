// SPDX-License-Identifier: BSD-3-Clause
//
// The proof that a fault fired as it was asked to, and the catalogue's matrix.
#include "conformance/harness/judge.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "conformance/catalogue/clauses.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/suite/matrix.h"
#include "conformance/suite/suite.h"
#include "fixtures/listeners/defects.h"

namespace conformance {
namespace {

struct ReturnRow {
  const char* rule;
  uint64_t seen;
  uint64_t fired;
  bool as_asked;
};
constexpr ReturnRow kReturnRows[] = {
    {"malloc:error=ENOMEM:when=2", 2, 1, true},    {"malloc:error=ENOMEM:when=2", 1, 0, false},
    {"malloc:error=ENOMEM:when=2..4", 4, 3, true}, {"malloc:error=ENOMEM:when=2..4", 3, 2, false},
    {"malloc:error=ENOMEM:when=3+", 3, 1, true},   {"malloc:error=ENOMEM:when=3+", 2, 0, false},
    {"malloc:error=ENOMEM:when=3+", 5, 3, true},   {"malloc:error=ENOMEM:when=3+", 5, 1, false},
    {"malloc:error=ENOMEM:when=2+3", 8, 3, true},  {"malloc:error=ENOMEM:when=2+3", 8, 7, false},
    {"malloc:error=ENOMEM:when=2+3", 1, 0, false}, {"malloc:error=ENOMEM:when=2..4", 9, 4, false},
    {"malloc:error=ENOMEM", 1, 1, true},           {"malloc:error=ENOMEM", 0, 0, false},
    {"malloc:error=ENOMEM", 3, 3, true},           {"malloc:error=ENOMEM", 3, 1, false},
    {"malloc:error=ENOMEM:prob=50%", 0, 0, false}, {"malloc:error=ENOMEM:prob=50%", 64, 0, false},
};

TEST(FireProof, HoldsOnlyWhereTheRuleFiredAsAsked) {
  for (const ReturnRow& row : kReturnRows) {
    const Experiment experiment{listen_operation(), Start::Primed, Sentinel::Null, {make_rule(row.rule)}};
    Evidence evidence;
    evidence.observation.rules[0] = {row.seen, row.fired};
    EXPECT_EQ(not_as_asked(experiment, {}, evidence).empty(), row.as_asked)
        << row.rule << " fired " << row.fired;
  }
}

TEST(FireProof, SweepEndsOnlyWhereNothingFired) {
  const Experiment experiment{
      listen_operation(), Start::Primed, Sentinel::Null, {make_rule("malloc:error=ENOMEM:when=3")}};
  Expectation end{.promise = Promise::Success};
  end.fires_nothing = true;
  Evidence evidence;
  evidence.observation.rules[0] = {2, 0};
  EXPECT_EQ(not_as_asked(experiment, end, evidence), "");
  evidence.observation.rules[0] = {3, 1};
  EXPECT_NE(not_as_asked(experiment, end, evidence), "");
}

TEST(Point, IsMadeOfNamesAndOrdinals) {
  const Experiment experiment{listen_operation({.nulls = kPeerNull | kPortNull}),
                              Start::Warm,
                              Sentinel::Live,
                              {make_rule("rdma_listen:error=EADDRINUSE:caller=@iut")}};
  EXPECT_EQ(experiment.point(),
            "rpma_ep_listen(peer=NULL,port=NULL)/rdma_listen:error=EADDRINUSE:caller=@iut/warm/live");
  EXPECT_EQ(experiment.control().point(), "rpma_ep_listen/warm/live");
}

TEST(Matrix, HasNoGap) {
  EXPECT_EQ(matrix_gaps(profiles_in(RPMACONF_PROFILES)), std::vector<std::string>());
}

// Whatever a listener can get wrong, a defect gets wrong: that the suite notices is shown for each clause.
TEST(Defects, BreakEveryClauseOfTheListener) {
  std::string named;
  for (const listener::Defect& defect : listener::defects()) named += fmt::format("{} ", defect.clauses);
  for (const Clause& clause : clauses()) {
    const bool is_named = named.find(fmt::format("{} ", clause.id)) != std::string::npos;
    EXPECT_TRUE(is_named || !clause.id.starts_with("LISTEN-")) << clause.id;
  }
}

TEST(Suite, HasEachIdOnceAndAllCombinationsOfNull) {
  std::set<std::string> ids;
  size_t nulls = 0;
  for (const conformance::Test& test : all_tests()) {
    EXPECT_TRUE(ids.insert(test.id()).second) << test.id();
    if (test.name.starts_with("Null")) ++nulls;
  }
  EXPECT_EQ(nulls, 15U);
}

}  // namespace
}  // namespace conformance
