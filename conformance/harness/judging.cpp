// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/judging.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "conformance/harness/attribution.h"
#include "conformance/harness/holdings.h"

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

void Judging::demand_works(std::string_view clause, Works works, std::string_view text,
                           const std::string& module) {
  if (works == Works::Unknown)
    cannot_tell(clause, text.empty() ? "the endpoint was not used" : std::string(text));
  else
    demand(clause, works == Works::Yes, std::string(text), module);
}

std::vector<std::string> Judging::in_words(std::map<std::string, int> more, const Ledger& ledger) {
  more["/dev/infiniband/rdma_cm"] -= ledger.excused_channels;
  std::vector<std::string> texts;
  for (const auto& [kind, number] : more)
    if (number > 0) texts.push_back(fmt::format("{} x {}", number, kind));
  return texts;
}

const rdmafault_record* Judging::iut_call(std::string_view name) const {
  for (const rdmafault_record& record : evidence.call_under_test())
    if (name == function_of(record).name && role_of(library, evidence, record) == "iut") return &record;
  return nullptr;
}

int64_t Judging::argument(const rdmafault_record& record, std::string_view name) {
  const rdmafault_function& function = function_of(record);
  for (size_t i = 0; i < RDMAFAULT_MAX_ARGS; ++i)
    if (function.args[i] != nullptr && name == function.args[i]) return record.args[i];
  return 0;
}

std::optional<std::string> Judging::role_that_opened(const std::map<std::string, int>& kinds,
                                                     const Holdings& now) const {
  constexpr std::string_view kOpening[] = {"open", "openat", "creat",  "dup",
                                           "dup2", "dup3",   "socket", "eventfd2"};
  const auto listed = [](const Holdings& holdings) {
    return std::span(holdings.descriptors.data(),
                     std::min<size_t>(holdings.count, holdings.descriptors.size()));
  };
  const auto is_left = [&](int64_t number) {
    const auto all = listed(now);
    const auto found = std::ranges::find(all, number, &Descriptor::number);
    if (found == all.end() ||
        std::ranges::find(listed(seen.before), number, &Descriptor::number) != listed(seen.before).end())
      return false;
    const auto kind = kinds.find(kind_of(*found));
    return kind != kinds.end() && kind->second > 0;
  };
  // A number may have been returned more than once: the last call counts.
  std::set<int64_t> done;
  std::optional<std::string> first;
  const auto records = evidence.call_under_test();
  for (size_t i = records.size(); i > 0; --i) {
    const rdmafault_record& record = records[i - 1];
    const bool opens =
        record.error == 0 && std::ranges::find(kOpening, function_of(record).name) != std::end(kOpening);
    if (!opens || !is_left(record.result) || !done.insert(record.result).second) continue;
    const std::string role = role_of(library, evidence, record);
    // If one belongs to the IUT, others may depend on it.
    if (role == "iut") return role;
    if (is_suspect(role)) first = role;
  }
  return first;
}

std::string Judging::faulted() const {
  for (const rdmafault_record& record : evidence.records)
    if ((record.flags & RDMAFAULT_INJECTED) != 0) return role_of(library, evidence, record);
  return "iut";
}

}  // namespace conformance
