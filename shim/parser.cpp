// SPDX-License-Identifier: BSD-3-Clause
//
// Parses one rule; the grammar is in rdmafault.h. A refusal gives the position and says what to write
// instead.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "shim/functions.h"
#include "shim/names.h"
#include "shim/rdmafault.h"
#include "shim/text.h"

namespace rdmafault {
namespace {

using std::string_view;

enum class Number { kOk, kNone, kTooLarge };

// Takes the digits at the start of `text`.
Number take_number(string_view& text, uint64_t& number) {
  if (text.empty() || !is_digit(text.front())) return Number::kNone;
  number = 0;
  Number result = Number::kOk;
  while (!text.empty() && is_digit(text.front())) {
    const auto digit = static_cast<uint64_t>(text.front() - '0');
    if (number > (UINT64_MAX - digit) / 10) result = Number::kTooLarge;
    number = number * 10 + digit;
    text.remove_prefix(1);
  }
  return result;
}

class Parser {
 public:
  Parser(string_view text, rdmafault_rule& rule, rdmafault_error& error)
      : text_(text), rule_(rule), error_(error) {}

  bool parse();

 private:
  struct Field {
    string_view key;
    bool (Parser::*parse)(string_view value);
  };
  static const Field kFields[];

  // Begins the message for the character at `at`, a place in text_.
  Line refuse(const char* at) {
    error_.position = static_cast<size_t>(at - text_.data());
    return Line(error_.message);
  }

  bool parse_function(string_view name);
  bool parse_field(string_view field);
  bool parse_error(string_view value);
  bool parse_retval(string_view value);
  bool parse_when(string_view value);
  bool parse_caller(string_view value);
  bool parse_prob(string_view value);
  bool parse_seed(string_view value);
  bool parse_thread(string_view value);

  bool take_action(rdmafault_action action, const rdmafault_name& name, const char* at);
  bool take_count(string_view& rest, uint64_t& number);
  bool refuse_number(string_view value, const rdmafault_name* legal);

  const rdmafault_function& row() const { return *row_for_rule(rule_.function); }

  string_view text_;
  rdmafault_rule& rule_;
  rdmafault_error& error_;
  bool has_action_ = false;
  unsigned given_ = 0;  // bit i: kFields[i] was given
};

constexpr const char* kFieldNames = "error, retval, when, caller, prob, seed, thread";

const Parser::Field Parser::kFields[] = {
    {"error", &Parser::parse_error},   {"retval", &Parser::parse_retval}, {"when", &Parser::parse_when},
    {"caller", &Parser::parse_caller}, {"prob", &Parser::parse_prob},     {"seed", &Parser::parse_seed},
    {"thread", &Parser::parse_thread},
};

bool Parser::parse() {
  rule_.first = 1;
  rule_.last = UINT64_MAX;
  rule_.step = 1;
  rule_.prob_ppm = 1000000;

  size_t begin = 0;
  bool first = true;
  for (;;) {
    const size_t colon = text_.find(':', begin);
    const size_t end = colon == string_view::npos ? text_.size() : colon;
    const string_view field = slice(text_, begin, end - begin);
    if (!(first ? parse_function(field) : parse_field(field))) return false;
    if (colon == string_view::npos) break;
    first = false;
    begin = colon + 1;
    if (begin == text_.size()) {
      refuse(text_.data() + colon) << "nothing after the colon; remove it, or add one of " << kFieldNames;
      return false;
    }
  }
  if (!has_action_) {
    refuse(text_.data() + text_.size())
        << "no error or value to fail with; add :error=" << row().errors->name << " or another of its errors"
        << (row().values != nullptr ? ", or :retval=" : "")
        << (row().values != nullptr ? row().values->name : "");
    return false;
  }
  return true;
}

bool Parser::parse_function(string_view name) {
  if (name.empty()) {
    Line line = refuse(name.data());
    line << "no function name; ";
    suggest_function(line, name);
    return false;
  }
  const size_t function = find_function(name);
  if (function == RDMAFAULT_NONE) {
    Line line = refuse(name.data());
    line << "unknown function \"" << slice(name, 0, 30) << "\"; ";
    suggest_function(line, name);
    return false;
  }
  rule_.function = static_cast<uint16_t>(function);
  if (!can_fail(row())) {
    refuse(name.data()) << name << (row().kind == RDMAFAULT_SYSTEM_CALL ? " never fails" : " returns nothing")
                        << ", so it cannot be made to fail";
    return false;
  }
  return true;
}

bool Parser::parse_field(string_view field) {
  if (field.empty()) {
    refuse(field.data()) << "empty field; remove a colon, or add one of " << kFieldNames;
    return false;
  }
  const size_t equals = field.find('=');
  const string_view key = slice(field, 0, equals);
  for (size_t i = 0; i < sizeof(kFields) / sizeof(*kFields); ++i) {
    if (key != kFields[i].key) continue;
    if ((given_ & (1U << i)) != 0) {
      refuse(field.data()) << key << "= is given twice; keep one";
      return false;
    }
    given_ |= 1U << i;
    if (equals == string_view::npos) {
      refuse(field.data() + field.size()) << key << " needs a value: " << key << "=...";
      return false;
    }
    const string_view value = slice(field, equals + 1);
    if (value.empty()) {
      refuse(value.data()) << key << "= needs a value";
      return false;
    }
    return (this->*kFields[i].parse)(value);
  }
  refuse(field.data()) << "unknown field \"" << slice(key, 0, 30) << "\"; one of " << kFieldNames;
  return false;
}

bool Parser::take_action(rdmafault_action action, const rdmafault_name& name, const char* at) {
  if (has_action_) {
    refuse(at) << "error= and retval= exclude each other; keep one";
    return false;
  }
  has_action_ = true;
  rule_.action = static_cast<uint16_t>(action);
  rule_.value = name.value;
  return true;
}

// A number instead of a name: the message says which name it is, if that is known.
bool Parser::refuse_number(string_view value, const rdmafault_name* legal) {
  string_view digits = value;
  const bool negative = digits.front() == '-';
  if (negative) digits.remove_prefix(1);
  uint64_t number = 0;
  const bool known = take_number(digits, number) == Number::kOk && digits.empty() && number <= INT32_MAX;
  const int signed_number = negative ? -static_cast<int>(number) : static_cast<int>(number);
  Line line = refuse(value.data());
  line << "expected a name, not a number; ";
  if (const rdmafault_name* name = known ? find_value(legal, signed_number) : nullptr) {
    line << value << " is " << name->name;
    return false;
  }
  const char* name = known && !negative ? strerrorname_np(signed_number) : nullptr;
  if (name != nullptr) line << value << " is " << name << "; ";
  line << row().name << " takes one of ";
  list_names(line, legal);
  return false;
}

bool Parser::parse_error(string_view value) {
  if (is_digit(value.front()) || value.front() == '-') return refuse_number(value, row().errors);
  if (const rdmafault_name* name = find_name(row().errors, value)) {
    return take_action(RDMAFAULT_ERROR, *name, value.data());
  }
  Line line = refuse(value.data());
  line << "\"" << slice(value, 0, 20) << "\" is not an error of " << row().name;
  if (find_name(row().values, value) != nullptr) {
    line << " but a value that it returns; use retval=" << value;
    return false;
  }
  line << "; one of ";
  list_names(line, row().errors);
  return false;
}

bool Parser::parse_retval(string_view value) {
  if (row().values == nullptr) {
    refuse(value.data()) << row().name << " takes no retval=; use error=" << row().errors->name
                         << " or another of its errors";
    return false;
  }
  if (is_digit(value.front()) || value.front() == '-') return refuse_number(value, row().values);
  if (const rdmafault_name* name = find_name(row().values, value)) {
    return take_action(RDMAFAULT_RETVAL, *name, value.data());
  }
  Line line = refuse(value.data());
  line << "\"" << slice(value, 0, 20) << "\" is not a value that " << row().name << " returns";
  if (find_name(row().errors, value) != nullptr) {
    line << " but an error that it sets; use error=" << value;
    return false;
  }
  line << "; one of ";
  list_names(line, row().values);
  return false;
}

// Takes a number of calls: 1 or more.
bool Parser::take_count(string_view& rest, uint64_t& number) {
  const char* at = rest.data();
  switch (take_number(rest, number)) {
    case Number::kNone:
      refuse(at) << "a number is missing; when= takes N, N..M, N+ or N+STEP";
      return false;
    case Number::kTooLarge:
      refuse(at) << "the number is too large; at most 18446744073709551615";
      return false;
    case Number::kOk:
      break;
  }
  if (number == 0) {
    refuse(at) << "0 is not allowed; calls and steps count from 1";
    return false;
  }
  return true;
}

bool Parser::parse_when(string_view value) {
  string_view rest = value;
  if (!take_count(rest, rule_.first)) return false;
  rule_.last = rule_.first;
  if (starts_with(rest, "..")) {
    rest.remove_prefix(2);
    const char* at = rest.data();
    if (!take_count(rest, rule_.last)) return false;
    if (rule_.last < rule_.first) {
      refuse(at) << "the range is empty; use N..M with N <= M";
      return false;
    }
  } else if (rest.starts_with('+')) {
    rest.remove_prefix(1);
    rule_.last = UINT64_MAX;
    if (!rest.empty() && !take_count(rest, rule_.step)) return false;
  }
  if (!rest.empty()) {
    refuse(rest.data()) << "unexpected text; when= takes N, N..M, N+ or N+STEP";
    return false;
  }
  return true;
}

bool Parser::parse_caller(string_view value) {
  string_view name = value;
  const bool is_not = name.starts_with('!');
  if (is_not) name.remove_prefix(1);
  const bool is_role = name.starts_with('@');
  if (is_role) name.remove_prefix(1);
  if (name.empty() || name.front() == '!' || name.front() == '@') {
    refuse(name.data()) << "a name is missing; caller= takes SONAME, !SONAME, @ROLE or !@ROLE";
    return false;
  }
  if (name.size() >= RDMAFAULT_NAME_SIZE) {
    refuse(name.data() + RDMAFAULT_NAME_SIZE - 1) << "the name is too long; at most 63 characters";
    return false;
  }
  if (is_role) {
    rule_.caller = is_not ? RDMAFAULT_ROLE_IS_NOT : RDMAFAULT_ROLE_IS;
  } else {
    rule_.caller = is_not ? RDMAFAULT_CALLER_IS_NOT : RDMAFAULT_CALLER_IS;
  }
  copy_text(rule_.caller_name, name);
  return true;
}

bool Parser::parse_prob(string_view value) {
  constexpr uint64_t kPpmOfPercent = 10000;
  string_view rest = value;
  uint64_t percent = 0;
  const Number whole = take_number(rest, percent);
  if (whole == Number::kNone) {
    refuse(value.data()) << "prob= takes a percentage such as 12.5%";
    return false;
  }
  uint64_t fraction = 0;
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const char* at = rest.data();
    uint64_t unit = kPpmOfPercent / 10;
    while (!rest.empty() && is_digit(rest.front())) {
      if (unit == 0) {
        refuse(rest.data()) << "too many decimals; use at most four";
        return false;
      }
      fraction += unit * static_cast<uint64_t>(rest.front() - '0');
      unit /= 10;
      rest.remove_prefix(1);
    }
    if (rest.data() == at) {
      refuse(at) << "digits are missing after the point; prob= takes a percentage such as 12.5%";
      return false;
    }
  }
  if (rest != "%") {
    refuse(rest.data()) << "prob= takes a percentage that ends with %, such as 12.5%";
    return false;
  }
  if (whole == Number::kTooLarge || percent > 100 || (percent == 100 && fraction > 0)) {
    refuse(value.data()) << "more than 100%; use at most 100%";
    return false;
  }
  rule_.prob_ppm = static_cast<uint32_t>(percent * kPpmOfPercent + fraction);
  if (rule_.prob_ppm == 0) {
    refuse(value.data()) << "0% never fails a call; use more than 0%";
    return false;
  }
  return true;
}

bool Parser::parse_seed(string_view value) {
  string_view rest = value;
  const Number number = take_number(rest, rule_.seed);
  if (number == Number::kNone || !rest.empty()) {
    refuse(rest.data()) << "seed= takes a whole number from 0 to 18446744073709551615";
    return false;
  }
  if (number == Number::kTooLarge) {
    refuse(value.data()) << "the number is too large; at most 18446744073709551615";
    return false;
  }
  return true;
}

bool Parser::parse_thread(string_view value) {
  if (value != "any") {
    refuse(value.data()) << "thread= takes only any; without it the rule is for the arming thread";
    return false;
  }
  rule_.any_thread = 1;
  return true;
}

}  // namespace
}  // namespace rdmafault

int rdmafault_parse(const char* text, rdmafault_rule* rule, rdmafault_error* error) {
  rdmafault_error unused;
  rdmafault_rule parsed = {};
  if (!rdmafault::Parser(text != nullptr ? text : "", parsed, error != nullptr ? *error : unused).parse())
    return -1;
  *rule = parsed;
  return 0;
}
