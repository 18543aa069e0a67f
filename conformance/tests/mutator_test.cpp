// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/mutation/mutator.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "conformance/mutation/survivors.h"

namespace conformance {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

std::vector<std::string> texts_of(std::string_view source) {
  std::vector<std::string> texts;
  for (const Mutant& mutant : mutants_of(source)) texts.push_back(with_mutant(source, mutant));
  return texts;
}

TEST(Mutator, DeletesStatements) {
  EXPECT_THAT(texts_of("void f() { a(); b = c; }"),
              ElementsAre("void f() { ; b = c; }", "void f() { a(); ; }"));
}

TEST(Mutator, NegatesConditionsBehindTheirInitialiser) {
  EXPECT_THAT(
      texts_of("void f() { if (int x = g(); x < y) h(); }"),
      ElementsAre("void f() { if (int x = g(); !(x < y)) h(); }", "void f() { if (int x = g(); x < y) ; }"));
}

TEST(Mutator, DropsErrorReturns) {
  EXPECT_THAT(
      texts_of("int f() { if (a) return failed(b); return c; }"),
      UnorderedElementsAre("int f() { if (!(a)) return failed(b); return c; }",
                           "int f() { if (a) ; return c; }", "int f() { if (a) return 0; return c; }"));
}

TEST(Mutator, SwapsOperatorsAndConstants) {
  EXPECT_THAT(texts_of("bool f() { return a == RPMA_E_NOMEM && true; }"),
              ElementsAre("bool f() { return a != RPMA_E_NOMEM && true; }",
                          "bool f() { return a == RPMA_E_PROVIDER && true; }",
                          "bool f() { return a == RPMA_E_NOMEM || true; }",
                          "bool f() { return a == RPMA_E_NOMEM && false; }"));
}

TEST(Mutator, SwapsCodesInTables) {
  EXPECT_THAT(texts_of("constexpr Row kRows[] = {{1, RPMA_E_INVAL}};"),
              ElementsAre("constexpr Row kRows[] = {{1, RPMA_E_PROVIDER}};"));
}

// Where text only looks like code, and where a statement goes on behind a brace.
TEST(Mutator, LeavesAloneWhatIsNoStatement) {
  EXPECT_THAT(texts_of("#include <a>\n// if (a == b) c();\nstruct S { int a; };\nenum E { kA };\n"),
              IsEmpty());
  EXPECT_THAT(texts_of("void f() { g(\"a == b; c();\"); }"), ElementsAre("void f() { ; }"));
  EXPECT_THAT(texts_of("bool f() { return g([&] { return a; }); }"), IsEmpty());
  EXPECT_THAT(texts_of("void f() { if (g([&] { return a; })) return; b(); }"),
              UnorderedElementsAre("void f() { if (!(g([&] { return a; }))) return; b(); }",
                                   "void f() { if (g([&] { return a; })) ; b(); }",
                                   "void f() { if (g([&] { return a; })) return; ; }"));
}

TEST(Mutator, TellsEqualMutantsOfOneSourceApart) {
  const auto mutants = mutants_of("void f() { a(); a(); }");
  ASSERT_EQ(2U, mutants.size());
  EXPECT_EQ("delete a();", mutants[0].id());
  EXPECT_EQ("delete a(); #2", mutants[1].id());
}

TEST(Survivors, HaveReasons) {
  for (const Survivor& row : known_survivors()) {
    EXPECT_FALSE(row.file.empty());
    EXPECT_GT(row.reason.size(), 20U) << row.file << ": " << row.mutant;
  }
}

}  // namespace
}  // namespace conformance
