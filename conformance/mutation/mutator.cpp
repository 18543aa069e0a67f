// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/mutation/mutator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace conformance {
namespace {

struct Token {
  size_t offset;
  std::string_view text;
};

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Comments, directives and white space are no tokens; a literal is one.
std::vector<Token> tokens_of(std::string_view source) {
  constexpr std::array<std::string_view, 12> kLong = {
      "<<=", "...", "::", "->", "==", "!=", "<=", ">=", "&&", "||", "++", "--"};
  std::vector<Token> tokens;
  bool line_begins = true;
  for (size_t i = 0; i < source.size();) {
    const std::string_view rest = source.substr(i);
    const char c = source[i];
    size_t size = 1;
    if (c == '\n') {
      line_begins = true;
      ++i;
      continue;
    }
    if (c == ' ') {
      ++i;
      continue;
    }
    if (rest.starts_with("//") || (c == '#' && line_begins)) {
      i += std::min(rest.find('\n'), rest.size());
      continue;
    }
    if (rest.starts_with("/*")) {
      i += std::min(rest.find("*/"), rest.size() - 2) + 2;
      continue;
    }
    line_begins = false;
    const auto* const known = std::ranges::find_if(kLong, [rest](auto one) { return rest.starts_with(one); });
    if (c == '"' || c == '\'') {
      while (size < rest.size() && rest[size] != c) size += rest[size] == '\\' ? 2u : 1u;
      size = std::min(size + 1, rest.size());
    } else if (is_word(c)) {
      size = static_cast<size_t>(std::ranges::find_if_not(rest, is_word) - rest.begin());
    } else if (known != kLong.end()) {
      size = known->size();
    }
    tokens.push_back({i, rest.substr(0, size)});
    i += size;
  }
  return tokens;
}

// What stands for what. A code is exchanged for one that is promised elsewhere.
constexpr std::pair<std::string_view, std::string_view> kOperators[] = {
    {"==", "!="}, {"!=", "=="}, {"&&", "||"}, {"||", "&&"}, {"<=", "<"}, {">=", ">"}};
constexpr std::pair<std::string_view, std::string_view> kConstants[] = {
    {"RPMA_E_INVAL", "RPMA_E_PROVIDER"},
    {"RPMA_E_PROVIDER", "RPMA_E_NOMEM"},
    {"RPMA_E_NOMEM", "RPMA_E_PROVIDER"},
    {"RPMA_E_UNKNOWN", "RPMA_E_PROVIDER"},
    {"RPMA_E_NO_EVENT", "RPMA_E_PROVIDER"},
    {"RPMA_E_NOSUPP", "RPMA_E_INVAL"},
    {"RDMA_PS_TCP", "RDMA_PS_UDP"},
    {"IBV_QPT_RC", "IBV_QPT_UD"},
    {"RAI_PASSIVE", "RAI_NUMERICHOST"},
    {"RPMA_UTIL_IBV_CONTEXT_LOCAL", "RPMA_UTIL_IBV_CONTEXT_REMOTE"},
    {"SOCK_CLOEXEC", "0"},
    {"true", "false"},
    {"false", "true"},
};

class Mutator {
 public:
  explicit Mutator(std::string_view source) : source_(source), tokens_(tokens_of(source)) {}

  std::vector<Mutant> all() {
    for (size_t i = 0; i < tokens_.size(); ++i) {
      if (text(i) == "(" || text(i) == ")") braces_.back().parentheses += text(i) == "(" ? 1 : -1;
      if (text(i) == "{") {
        braces_.push_back({opens_code(i)});
        if (is_code()) statement(i + 1);
      } else if (text(i) == "}" && braces_.size() > 1) {
        const bool was_code = is_code();
        braces_.pop_back();
        // Behind a lambda an expression goes on.
        constexpr std::array<std::string_view, 4> kGoesOn = {")", ",", ";", "."};
        const bool ends = std::ranges::find(kGoesOn, text(i + 1)) == kGoesOn.end();
        if (was_code && ends && is_code()) statement(i + 1);
      } else if (text(i) == ";" && is_code()) {
        if (braces_.back().parentheses == 0) statement(i + 1);
      } else if (is_code() || text(i).starts_with("RPMA_E_")) {
        word(i);
      }
    }
    std::ranges::sort(mutants_, {}, &Mutant::offset);
    std::map<std::string, unsigned> seen;
    for (Mutant& mutant : mutants_) mutant.occurrence = ++seen[mutant.id()];
    return std::move(mutants_);
  }

 private:
  [[nodiscard]] std::string_view text(size_t i) const { return i < tokens_.size() ? tokens_[i].text : ""; }
  [[nodiscard]] bool is_code() const { return braces_.back().is_code; }

  // A brace after a parameter list, a lambda's captures or a keyword; others open types, namespaces and lists
  // of values.
  [[nodiscard]] bool opens_code(size_t i) const {
    constexpr std::array<std::string_view, 7> kBefore = {")",     "]",        "else",    "do",
                                                         "const", "noexcept", "override"};
    return i > 0 && std::ranges::find(kBefore, text(i - 1)) != kBefore.end();
  }

  // The index of the next token; of what stands between brackets, behind them.
  [[nodiscard]] size_t next(size_t i) const {
    int depth = 0;
    do {
      const std::string_view one = text(i++);
      if (one == "(" || one == "{" || one == "[") ++depth;
      if (one == ")" || one == "}" || one == "]") --depth;
    } while (depth > 0 && i < tokens_.size());
    return i;
  }

  // The index of the semicolon that ends the statement at `i`, or nothing where a block comes first.
  [[nodiscard]] std::optional<size_t> end_of_statement(size_t i) const {
    while (i < tokens_.size() && text(i) != "}") {
      if (text(i) == ";") return i;
      const bool block = text(i) == "{" && opens_code(i) && text(i - 1) != "]";
      if (block) return std::nullopt;
      i = next(i);
    }
    return std::nullopt;
  }

  // `guarded`: it stands behind an "if" or a "for".
  void statement(size_t i, bool guarded = false) {
    const std::string_view first = text(i);
    if (first == "if" || first == "while" || first == "for") {
      const size_t end = next(i + 1);
      if (first != "for") condition(i + 2, end - 1);
      return statement(end, true);
    }
    if (first == "else") return statement(i + 1, true);
    constexpr std::string_view kNone[] = {"}", "{", "const", "constexpr", "using", "static", "case", ""};
    if (std::ranges::find(kNone, first) != std::end(kNone)) return;
    const std::optional<size_t> end = end_of_statement(i);
    if (!end) return;
    // Without its last return a function that has a value does anything at all.
    const bool is_last = first == "return" && !guarded && text(*end + 1) == "}";
    if (!is_last) add(Operator::DeleteStatement, i, *end + 1, ";");
    const bool reports = first == "return" && (text(i + 1) == "failed" || text(i + 3) == "failed");
    if (reports) add(Operator::DropError, i, *end + 1, "return 0;");
  }

  // Of "if (T x = f(); condition)" what stands behind the semicolon.
  void condition(size_t begin, size_t end) {
    for (size_t i = begin; i < end; i = next(i))
      if (text(i) == ";") begin = i + 1;
    add(Operator::NegateCondition, begin, end, "!(" + range(begin, end) + ")");
  }

  void word(size_t i) {
    for (const auto& [before, after] : kOperators)
      if (text(i) == before) add(Operator::SwapOperator, i, i + 1, std::string(after));
    for (const auto& [before, after] : kConstants)
      if (text(i) == before) add(Operator::SwapConstant, i, i + 1, std::string(after));
    const bool is_number = std::ranges::all_of(text(i), [](char c) { return c >= '0' && c <= '9'; });
    if (is_number)
      add(Operator::SwapConstant, i, i + 1, std::to_string(std::stoul(std::string(text(i))) + 1));
  }

  [[nodiscard]] std::string range(size_t begin, size_t end) const {
    const size_t from = tokens_[begin].offset;
    const Token& last = tokens_[end - 1];
    return std::string(source_.substr(from, last.offset + last.text.size() - from));
  }

  void add(Operator op, size_t begin, size_t end, std::string after) {
    const size_t offset = tokens_[begin].offset;
    const size_t line_begin = source_.rfind('\n', offset) + 1;  // npos + 1 is 0
    std::string_view line = source_.substr(line_begin, source_.find('\n', offset) - line_begin);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const auto number = std::ranges::count(source_.substr(0, offset), '\n') + 1;
    mutants_.push_back({op, static_cast<unsigned>(number), offset, range(begin, end), std::move(after), 1,
                        std::string(line)});
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  struct Brace {
    bool is_code;
    int parentheses = 0;  // that are open within it
  };
  std::vector<Brace> braces_ = {{false}};  // that are open; the first stands for the file
  std::vector<Mutant> mutants_;
};

std::string on_one_line(std::string_view text) {
  std::istringstream words{std::string(text)};
  return fmt::format("{}",
                     fmt::join(std::vector<std::string>(std::istream_iterator<std::string>(words), {}), " "));
}

}  // namespace

std::string_view name_of(Operator op) {
  switch (op) {
    case Operator::DeleteStatement:
      return "delete";
    case Operator::NegateCondition:
      return "negate";
    case Operator::SwapOperator:
    case Operator::SwapConstant:
      return "swap";
    case Operator::DropError:
      return "drop-error";
  }
  return "";
}

std::string Mutant::id() const {
  const bool swaps = op == Operator::SwapOperator || op == Operator::SwapConstant;
  std::string text = fmt::format("{} {}", name_of(op), on_one_line(before));
  if (swaps) text += fmt::format(" for {} in {}", after, on_one_line(in_context));
  if (occurrence > 1) text += fmt::format(" #{}", occurrence);
  return text;
}

std::vector<Mutant> mutants_of(std::string_view source) {
  return Mutator(source).all();
}

std::string with_mutant(std::string_view source, const Mutant& mutant) {
  std::string text(source);
  return text.replace(mutant.offset, mutant.before.size(), mutant.after);
}

}  // namespace conformance
