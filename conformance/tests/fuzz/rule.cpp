// SPDX-License-Identifier: BSD-3-Clause
//
// Rules of the shim (make_rule). May throw std::invalid_argument alone, whose position lies within the text.
// What is accepted names a function that can fail, in a way that is legal for it; its counts are in order; it
// reads the same when it is read again; and it never fires before its first call.
#include <cstring>
#include <stdexcept>

#include "conformance/harness/experiment.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

namespace {

bool is_among(const rdmafault_name* names, int value) {
  for (; names != nullptr && names->name != nullptr; ++names)
    if (names->value == value) return true;
  return false;
}

void check_refusal(const std::string& text) {
  if (text.find('\0') != std::string::npos) return;  // is no text of C
  rdmafault_rule rule{};
  rdmafault_error error{};
  must(rdmafault_parse(text.c_str(), &rule, &error) != 0, "what make_rule refuses, the parser refuses");
  must(error.position <= text.size(), "the position lies within the text");
  must(std::memchr(error.message, '\0', sizeof(error.message)) != nullptr, "the message has an end");
  must(error.message[0] != '\0', "the message has words");
}

void check(const Rule& rule) {
  const rdmafault_rule& parsed = rule.parsed;
  must(parsed.first >= 1 && parsed.last >= parsed.first && parsed.step >= 1, "the counts are in order");
  must(parsed.prob_ppm <= 1000000, "a probability is 100% at most");
  must(std::memchr(parsed.caller_name, '\0', sizeof(parsed.caller_name)) != nullptr,
       "the caller's name has an end");
  must((parsed.caller == RDMAFAULT_ANY_CALLER) == (parsed.caller_name[0] == '\0'), "a caller has a name");
  must(rdmafault_rule_fires(&parsed, 0) == 0 && rdmafault_rule_fires(&parsed, parsed.first - 1) == 0,
       "nothing fires before the first call");
  const rdmafault_kind kind = rule.kind();
  size_t count = 0;
  const rdmafault_function* functions = rdmafault_functions(&count);
  if (parsed.function == RDMAFAULT_ANY_ALLOCATOR) {
    must(kind == RDMAFAULT_ALLOCATOR && parsed.action == RDMAFAULT_ERROR, "allocations fail with an error");
  } else {
    must(parsed.function < count, "the function is in the table");
    const rdmafault_function& row = functions[parsed.function];
    must(is_among(parsed.action == RDMAFAULT_ERROR ? row.errors : row.values, parsed.value),
         "the failure is legal for the function");
  }
  const Rule again = make_rule(rule.text);
  must(std::memcmp(&again.parsed, &parsed, sizeof(parsed)) == 0, "a rule reads the same again");
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(text_of(data, size));
  try {
    check(make_rule(text));
  } catch (const std::invalid_argument&) {
    check_refusal(text);
  }
  return 0;
}
