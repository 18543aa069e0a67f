// SPDX-License-Identifier: BSD-3-Clause
//
// Sweeps and points, on records made by hand: each call is met, none twice, and every point reads back as
// itself.
#include "conformance/suite/sweep.h"

#include <gmock/gmock.h>

#include <set>

#include "conformance/harness/expectations.h"
#include "conformance/harness/listen_operation.h"
#include "conformance/harness/point.h"
#include "conformance/tests/evidence.h"

namespace conformance {
namespace {

using testing::ElementsAre;

class SweepTest : public EvidenceTest {
 protected:
  SweepTest() {
    for (const std::string_view role : {"iut", "rdmacm"}) {
      add_role(role, role);
      add_caller(role);
    }
    evidence_.observation.returned = 1;
  }

  void call(std::string_view name, uint16_t module, bool injected = false) {
    rdmafault_record& record = EvidenceTest::call(name);
    record.module = module;
    if (injected) record.flags |= RDMAFAULT_INJECTED;
    evidence_.observation.call_last = static_cast<uint32_t>(evidence_.records.size());
  }

  std::vector<std::string> rules_of(CaseSource& source) {
    std::vector<std::string> rules;
    while (const std::optional<Case> one = source.next()) {
      std::string text;
      for (const Rule& rule : one->experiment.rules) text += (text.empty() ? "" : " ") + rule.text;
      rules.push_back(text + (one->expectation.fires_nothing ? " (end)" : ""));
      last_ = *one;
    }
    return rules;
  }

  Experiment control_{listen_operation(), Start::Primed, Sentinel::Wild};
  std::optional<Case> last_;
};

TEST_F(SweepTest, MeetsEachCallOnceAndFromThereOnAndEndsWhereNothingFires) {
  call("malloc", 0);
  call("free", 0);
  call("malloc", 1);
  call("malloc", 1);
  const auto source =
      every_point(control_, sites_of(library_, evidence_, {1u << RDMAFAULT_ALLOCATOR, false, true}));
  EXPECT_THAT(
      rules_of(*source),
      ElementsAre("malloc:error=ENOMEM:when=1:caller=@rdmacm", "malloc:error=ENOMEM:when=1+:caller=@rdmacm",
                  "malloc:error=ENOMEM:when=2:caller=@rdmacm", "malloc:error=ENOMEM:when=2+:caller=@rdmacm",
                  "malloc:error=ENOMEM:when=3:caller=@rdmacm (end)"));
}

TEST_F(SweepTest, GoesOnWhereItsLastRuleFiredAfterAll) {
  call("malloc", 1);
  const auto source =
      every_point(control_, sites_of(library_, evidence_, {1u << RDMAFAULT_ALLOCATOR, false, true}));
  rules_of(*source);
  Evidence fired;
  fired.observation.rules[0] = {2, 1};
  source->seen(*last_, fired);
  EXPECT_THAT(rules_of(*source), ElementsAre("malloc:error=ENOMEM:when=2:caller=@rdmacm",
                                             "malloc:error=ENOMEM:when=2+:caller=@rdmacm",
                                             "malloc:error=ENOMEM:when=3:caller=@rdmacm (end)"));
}

TEST_F(SweepTest, NoSignalComesWithoutEnd) {
  call("getrandom", 1);
  const auto source =
      every_point(control_, sites_of(library_, evidence_, {1u << RDMAFAULT_SYSTEM_CALL, true, true}));
  const std::vector<std::string> rules = rules_of(*source);
  EXPECT_THAT(rules, testing::Contains("getrandom:error=EINTR:when=1:caller=@rdmacm"));
  EXPECT_THAT(rules, testing::Not(testing::Contains("getrandom:error=EINTR:when=1+:caller=@rdmacm")));
}

TEST_F(SweepTest, SecondFaultsAreCallsThatFollowTheFirst) {
  call("rdma_create_id", 0);
  call("rdma_listen", 0);
  const auto source =
      pairs(library_, control_, sites_of(library_, evidence_, {1u << RDMAFAULT_PROVIDER, true, true}),
            {.kinds = 1u << RDMAFAULT_PROVIDER, .only = "rdma_destroy_id"}, {1, true});
  const std::vector<std::string> firsts = rules_of(*source);
  EXPECT_EQ(firsts.back(), "rdma_listen:error=ENOSYS:when=1:caller=@iut");
  Evidence seen = evidence_;
  evidence_.records.clear();
  call("rdma_create_id", 0);
  call("rdma_listen", 0, true);
  call("rdma_destroy_id", 0);
  source->seen(*last_, evidence_);
  EXPECT_THAT(
      rules_of(*source),
      testing::Contains(
          "rdma_listen:error=ENOSYS:when=1:caller=@iut rdma_destroy_id:error=EINVAL:when=1:caller=@iut"));
}

TEST_F(SweepTest, ASeedChoosesTheSameEachTime) {
  for (int i = 0; i < 20; ++i) call("rdma_listen", 0);
  const auto chosen = [&](uint64_t seed) {
    return rules_of(*pairs(library_, control_,
                           sites_of(library_, evidence_, {1u << RDMAFAULT_PROVIDER, true, true}),
                           {.kinds = 1u << RDMAFAULT_PROVIDER, .firsts = 5, .seconds = 1}, {seed, false}));
  };
  EXPECT_EQ(chosen(7).size(), 5U);
  EXPECT_EQ(chosen(7), chosen(7));
  EXPECT_NE(chosen(7), chosen(8));
}

TEST_F(SweepTest, FirstFaultDecidesWhatIsPromised) {
  call("malloc", 1, true);
  call("malloc", 0, true);
  EXPECT_EQ(ruled_by_first_fault(library_, evidence_).promise, Promise::Either);
  evidence_.records.clear();
  call("malloc", 0, true);
  EXPECT_THAT(ruled_by_first_fault(library_, evidence_).code_clauses, ElementsAre("LISTEN-NOMEM-1"));
  evidence_.records.clear();
  call("rdma_bind_addr", 0, true);
  EXPECT_THAT(ruled_by_first_fault(library_, evidence_).code_clauses, ElementsAre("LISTEN-PROVIDER-4"));
}

// What a report shows can be given to replay.
TEST(PointId, OfEveryCaseOfTheSuiteReadsBackAsItself) {
  std::set<std::string> points;
  for (const conformance::Test& test : all_tests())
    for (const Case& one : test.cases) points.insert(one.experiment.point());
  EXPECT_GT(points.size(), 250U);
  for (const std::string& point : points) EXPECT_EQ(experiment_at(point).point(), point);
}

TEST(PointId, KeepsOddTextsOfArguments) {
  for (const std::string text : {"", "a/b", "(x)", "fe80::1%dummy0", "50%", "%41", "peer=NULL,port=NULL"}) {
    const Experiment experiment{listen_operation({.address = text, .port = text}), Start::Primed,
                                Sentinel::Wild};
    EXPECT_EQ(experiment_at(experiment.point()).operation->variant(), experiment.operation->variant())
        << text;
  }
}

// The tables' own expectations and what a point alone lets expect must not drift apart.
TEST(Expectations, OfTheTablesAreThoseOfTheRulings) {
  for (const conformance::Test& test : all_tests()) {
    for (const Case& one : test.cases) {
      if (one.experiment.rules.size() != 1 || one.experiment.threads > 1 || one.ruled_by_first_fault)
        continue;
      const Expectation ruled = ruled_beforehand(one.experiment);
      EXPECT_EQ(ruled.promise, one.expectation.promise) << one.experiment.point();
      EXPECT_EQ(ruled.code, one.expectation.code) << one.experiment.point();
      EXPECT_EQ(ruled.code_clauses, one.expectation.code_clauses) << one.experiment.point();
    }
  }
}

}  // namespace
}  // namespace conformance
