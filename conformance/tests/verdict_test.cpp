// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/verdict.h"

#include <gtest/gtest.h>

namespace conformance {
namespace {

TEST(Verdict, NothingAddsUpToNoPass) {
  EXPECT_EQ(Aggregate().outcome().verdict(), Verdict::Skipped);
}

TEST(Verdict, WorstDecides) {
  Aggregate aggregate;
  aggregate.add(Outcome::pass());
  aggregate.add(Outcome::of(Verdict::Unreached, "never called"));
  aggregate.add(Outcome::of(Verdict::Crash, "died"));
  aggregate.add(Outcome::of(Verdict::Fail, "wrong code"));
  EXPECT_EQ(aggregate.outcome().verdict(), Verdict::Crash);
  EXPECT_EQ(aggregate.outcome().reason(), "died");
}

TEST(Verdict, WaivedIsNoPass) {
  Aggregate aggregate;
  aggregate.add(Outcome::pass());
  aggregate.add(Outcome::of(Verdict::Waived, "known"));
  EXPECT_FALSE(aggregate.outcome().passed());
}

TEST(Verdict, PassCannotBeBuiltWithAReason) {
  EXPECT_EQ(Outcome::of(Verdict::Pass, "well").verdict(), Verdict::Broken);
}

TEST(Verdict, NonPassWithoutReasonIsBroken) {
  EXPECT_EQ(Outcome::of(Verdict::Fail, "").verdict(), Verdict::Broken);
}

TEST(Verdict, NamesGoBothWays) {
  for (const std::string_view name : kVerdictNames) EXPECT_EQ(name_of(*verdict_named(name)), name);
  EXPECT_FALSE(verdict_named("passed").has_value());
}

}  // namespace
}  // namespace conformance
