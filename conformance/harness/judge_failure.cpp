// SPDX-License-Identifier: BSD-3-Clause
//
// What a failure promises: the right code, an untouched pointer, no leak, and that the next call works.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <librpma.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "conformance/harness/attribution.h"
#include "conformance/harness/codes.h"
#include "conformance/harness/holdings.h"
#include "conformance/harness/judging.h"

namespace conformance {
namespace {

// The codes that the page names.
constexpr int kDocumented[] = {RPMA_E_INVAL, RPMA_E_PROVIDER, RPMA_E_NOMEM};

// Whether a module below the IUT fails: then the IUT may not be at fault.
bool fails_below(const Judging& j) {
  return j.expectation.promise == Promise::Either || !j.experiment.condition.empty();
}

// Whether the IUT leaks provider handles even without a fault.
bool control_left_something(const Judging& j) {
  if (j.control == nullptr || j.control->observation.undone == 0) return false;
  const Observation& seen = j.control->observation;
  const std::vector<Window> windows = {{seen.call_first, seen.call_last}, {seen.undo_first, seen.undo_last}};
  return !settle(j.library, *j.control, windows).handles_left.empty();
}

// The module at fault for a leak if the IUT released all that it acquired. If the control leaks too, that is
// the IUT: the leak may be of endpoints that made the condition.
std::string below(const Judging& j) {
  if (!fails_below(j) || control_left_something(j)) return "iut";
  return j.experiment.rules.empty() ? "rdmacm" : j.faulted();
}

void judge_code(Judging& j) {
  const Observation& seen = j.seen;
  const std::string got =
      seen.code == 0 ? "returned 0 instead of a failure" : "returned " + code_name(seen.code);
  j.demand("LISTEN-RET-2", seen.code < 0, got + ", which is not negative", "iut");
  if (j.expectation.promise == Promise::Either) {
    const bool documented = std::ranges::find(kDocumented, seen.code) != std::end(kDocumented);
    j.demand("LISTEN-BELOW-1", documented, got + ", which the page does not name", "iut");
  }
  for (const std::string_view clause : j.expectation.code_clauses)
    j.demand(clause, seen.code == j.expectation.code, got + " instead of " + code_name(j.expectation.code),
             "iut");
}

void judge_silence(Judging& j) {
  for (const rdmafault_record& record : j.evidence.call_under_test()) {
    const rdmafault_function& function = function_of(record);
    if (function.kind != RDMAFAULT_PROVIDER) continue;
    j.fail("LISTEN-INVAL-5", fmt::format("called {} in spite of a NULL argument", function.name), "iut");
    return;
  }
  j.pass("LISTEN-INVAL-5");
}

std::string sort_of(uint64_t value) {
  return value == 0 ? "NULL" : "a pointer";
}

void judge_stores(Judging& j) {
  const Observation& seen = j.seen;
  if (seen.code == 0) return;  // a success may store; the wrong success is judged elsewhere
  if (seen.stores == 0 && seen.out_after == seen.out_before) return j.pass("LISTEN-EPPTR-1");
  if (seen.stores == 0)
    return j.fail("LISTEN-EPPTR-1", "*ep_ptr changed; the guard did not see the store", "iut");
  const Store& store = seen.store[0];
  const bool undone = seen.out_after == seen.out_before;
  const std::string role = role_of(j.library, store.by.file.data());
  j.fail("LISTEN-EPPTR-1",
         fmt::format("{} stored {} to *ep_ptr{} ({} before the call)", show(store.by), sort_of(store.after),
                     undone ? ", then the old value was restored" : "", name_of(j.experiment.sentinel)),
         is_suspect(role) ? role : "iut");
}

// Descriptors that a cold control still has at its end are cached by the libraries; a failed call in a cold
// process may have filled this cache too. In other starts the cache is filled before the call, so every new
// descriptor is a leak.
std::map<std::string, int> unexplained_descriptors(const Judging& j) {
  std::map<std::string, int> more = gained_descriptors(j.seen.before, j.seen.after);
  if (j.experiment.start == Start::Cold && j.control != nullptr)
    for (const auto& [kind, number] :
         gained_descriptors(j.control->observation.before, j.control->observation.end))
      if (const auto found = more.find(kind); found != more.end()) found->second -= number;
  return more;
}

void judge_kernel_cm_ids(Judging& j, const Ledger& ledger, const std::string& module) {
  const Observation& seen = j.seen;
  const Observation* control = j.control != nullptr ? &j.control->observation : nullptr;
  if (control == nullptr || control->after.cm_ids != control->before.cm_ids + 1 || seen.before.cm_ids < 0 ||
      seen.after.cm_ids < 0) {
    j.outcomes.push_back(
        {"LISTEN-LEAK-4",
         Outcome::of(Verdict::Unsupported, "this kernel does not list the cm_id of a working listener"), ""});
    return;
  }
  // If the device is gone, so are the kernel's cm_ids on it.
  const int least = j.expectation.lasts ? 0 : seen.before.cm_ids;
  j.demand("LISTEN-LEAK-4",
           seen.after.cm_ids >= least && seen.after.cm_ids <= seen.before.cm_ids + ledger.excused_in_kernel(),
           fmt::format("the kernel lists {} cm_ids of this process, {} before the call", seen.after.cm_ids,
                       seen.before.cm_ids),
           module);
}

void judge_leaks(Judging& j, const Ledger& ledger) {
  if (j.seen.code == 0) return;  // a wrong success: its endpoint is not a leak
  const bool all_released = ledger.handles_left.empty();
  const std::string holder = all_released ? below(j) : role_to_blame(ledger.handles_left);
  // The IUT's leaked handles hold descriptors and cm_ids in the kernel.
  const std::string module = holder == "iut" ? holder : below(j);
  j.demand("LISTEN-LEAK-1", all_released, fmt::format("not released: {}", texts_of(ledger.handles_left)),
           module == "iut" ? module : holder);
  j.demand("LISTEN-LEAK-2", ledger.blocks_left.empty(),
           fmt::format("not freed: {}", fmt::join(ledger.blocks_left, "; ")), "iut");
  const std::map<std::string, int> kinds = unexplained_descriptors(j);
  const std::vector<std::string> descriptors = Judging::in_words(kinds, ledger);
  j.demand("LISTEN-LEAK-3", descriptors.empty(), fmt::format("left open: {}", fmt::join(descriptors, "; ")),
           module == "iut" ? module : j.role_that_opened(kinds, j.seen.after).value_or(module));
  if (!j.on_mock()) judge_kernel_cm_ids(j, ledger, module);
}

void judge_again(Judging& j, const Ledger& ledger) {
  const Observation& seen = j.seen;
  if (seen.code == 0 || j.expectation.lasts) return;
  const std::string real = really_failed(j.library, j.evidence, {seen.again_first, seen.again_last});
  if (seen.again_code != 0 && !real.empty()) {
    // In the control this call works. If the provider still fails, the fault damaged its state.
    const bool damaged = fails_below(j) && ledger.handles_left.empty();
    if (!damaged) return j.cannot_tell("LISTEN-AGAIN-1", "in the next call " + real);
    return j.fail("LISTEN-AGAIN-1", "in the next call, under good conditions, " + real, below(j));
  }
  if (seen.again_code != 0)
    return j.fail("LISTEN-AGAIN-1", "the next call, without a fault, returned " + code_name(seen.again_code),
                  "iut");
  j.demand_works("LISTEN-AGAIN-1", seen.again_works, seen.again_text.data(), below(j));
}

}  // namespace

void judge_failure(Judging& j) {
  judge_code(j);
  if (j.expectation.asks_nothing) judge_silence(j);
  if (j.seen.has_out != 0) judge_stores(j);
  const Ledger ledger = settle(j.library, j.evidence, {j.call_window()});
  judge_leaks(j, ledger);
  judge_again(j, ledger);
}

}  // namespace conformance
