// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/judging.h"

#include <utility>

namespace conformance {

void Judging::pass(std::string_view clause) {
  outcomes.push_back({clause, Outcome::pass(), ""});
}

void Judging::fail(std::string_view clause, std::string reason, std::string module) {
  outcomes.push_back({clause, Outcome::of(Verdict::Fail, std::move(reason)), std::move(module)});
}

void Judging::demand(std::string_view clause, bool met, const std::string& reason,
                     const std::string& module) {
  if (met)
    pass(clause);
  else
    fail(clause, reason, module);
}

void Judging::cannot_tell(std::string_view clause, std::string reason) {
  outcomes.push_back({clause, Outcome::of(Verdict::Broken, std::move(reason)), ""});
}

const rdmafault_record* Judging::iut_call(std::string_view name) const {
  for (uint32_t i = seen.call_first; i < seen.call_last; ++i) {
    const rdmafault_record& record = evidence.records[i];
    if (name == function_of(record).name && role_of(library, evidence, record) == "iut") return &record;
  }
  return nullptr;
}

int64_t Judging::argument(const rdmafault_record& record, std::string_view name) {
  const rdmafault_function& function = function_of(record);
  for (size_t i = 0; i < RDMAFAULT_MAX_ARGS; ++i)
    if (function.args[i] != nullptr && name == function.args[i]) return record.args[i];
  return 0;
}

std::string Judging::faulted() const {
  for (const rdmafault_record& record : evidence.records)
    if ((record.flags & RDMAFAULT_INJECTED) != 0) return role_of(library, evidence, record);
  return "iut";
}

}  // namespace conformance
