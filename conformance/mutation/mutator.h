// SPDX-License-Identifier: BSD-3-Clause
//
// Mutants of a C++ source: the same text with one small mistake each, as a hurried hand makes them. Lexical:
// it knows tokens, braces and statements, not types, and relies on the source being formatted as ours are.
// What does not compile is no mutant; whoever builds them finds that out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace conformance {

enum class Operator {
  DeleteStatement,  // "x();" becomes ";"
  NegateCondition,  // "if (x)" becomes "if (!(x))"
  SwapOperator,     // "==" becomes "!=", "&&" becomes "||", "<=" becomes "<"
  SwapConstant,     // another code, port space or QP type; true for false; the next number
  DropError         // "return failed(...)" becomes "return 0"
};

std::string_view name_of(Operator op);

struct Mutant {
  Operator op;
  unsigned line;           // from 1
  size_t offset;           // of what is replaced
  std::string before;      // what is replaced
  std::string after;       // by what
  unsigned occurrence;     // among the same replacements in this source, from 1
  std::string in_context;  // the line, without its indentation

  // Stable while the line is not changed: "delete-statement 'id_.reset(id);'", with " #2" where it is not
  // unique.
  [[nodiscard]] std::string id() const;
};

std::vector<Mutant> mutants_of(std::string_view source);

std::string with_mutant(std::string_view source, const Mutant& mutant);

}  // namespace conformance
