// SPDX-License-Identifier: BSD-3-Clause
//
// What a success promises: an endpoint that works, correct provider arguments, and a complete release.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "conformance/harness/attribution.h"
#include "conformance/harness/codes.h"
#include "conformance/harness/holdings.h"
#include "conformance/harness/judging.h"

namespace conformance {
namespace {

void judge_what_was_asked_for(Judging& j) {
  const rdmafault_record* id = j.iut_call("rdma_create_id");
  const rdmafault_record* resolved = j.iut_call("rdma_getaddrinfo");
  const auto unreached = [&j](std::string_view clause, std::string_view function) {
    j.outcomes.push_back(
        {clause, Outcome::of(Verdict::Unreached, fmt::format("the IUT did not call {}", function)), ""});
  };
  if (id == nullptr) {
    unreached("LISTEN-USE-2", "rdma_create_id");
  } else {
    const int64_t space = Judging::argument(*id, "port_space");
    j.demand("LISTEN-USE-2", space == RDMA_PS_TCP, fmt::format("rdma_create_id with port space {:#x}", space),
             "iut");
  }
  if (resolved == nullptr) {
    unreached("LISTEN-USE-3", "rdma_getaddrinfo");
    unreached("LISTEN-USE-4", "rdma_getaddrinfo");
    return;
  }
  // rdma_getaddrinfo(3) allows 0 for either, not for both; a value that is not 0 must match.
  const int64_t type = Judging::argument(*resolved, "qp_type");
  const int64_t space = Judging::argument(*resolved, "port_space");
  j.demand("LISTEN-USE-3",
           (type == IBV_QPT_RC || type == 0) && (space == RDMA_PS_TCP || space == 0) && type + space != 0,
           fmt::format("rdma_getaddrinfo hints with QP type {} and port space {:#x}", type, space), "iut");
  j.demand("LISTEN-USE-4", (Judging::argument(*resolved, "flags") & RAI_PASSIVE) != 0,
           "rdma_getaddrinfo hints without RAI_PASSIVE", "iut");
}

// The reason is the environment or the IUT's arguments. The mock accepts every correct call, so there it is
// the IUT. On a kernel the same listen without the IUT decides.
void judge_refusal(Judging& j, const std::string& real) {
  const Observation& seen = j.seen;
  const std::string returned = fmt::format("returned {}: {}", code_name(seen.code), real);
  if (j.on_mock() && j.experiment.condition.empty())
    j.fail("LISTEN-RET-1", returned, "iut");
  else if (seen.without_iut == Works::Yes)
    j.fail("LISTEN-RET-1",
           returned + "; a listen without the IUT succeeded, and a second rpma_ep_listen failed", "iut");
  else if (seen.without_iut_text[0] != '\0')
    j.cannot_tell("LISTEN-RET-1", fmt::format("{}; {}", real, seen.without_iut_text.data()));
  else
    j.cannot_tell("LISTEN-RET-1", real);
}

void judge_what_came_back(Judging& j) {
  const Observation& seen = j.seen;
  if (seen.undone == 0) return;
  const Ledger ledger = settle(j.library, j.evidence, {j.call_window(), {seen.undo_first, seen.undo_last}});
  // The IUT must release what it acquired. For the rest the module with the fault is at fault.
  std::string module = j.faulted();
  if (!ledger.handles_left.empty()) module = role_to_blame(ledger.handles_left);
  std::vector<std::string> left;
  for (const Left& one : ledger.handles_left) left.push_back(one.text);
  left.insert(left.end(), ledger.blocks_left.begin(), ledger.blocks_left.end());
  if (seen.undo_code != 0) left.push_back("rpma_ep_shutdown returned " + code_name(seen.undo_code));
  if (!ledger.blocks_left.empty() || seen.undo_code != 0) module = "iut";
  // In a cold process the libraries cache descriptors on first use, which look like a leak.
  if (j.experiment.start != Start::Cold) {
    const std::map<std::string, int> kinds = gained_descriptors(seen.before, seen.end);
    const std::vector<std::string> more = Judging::in_words(kinds, ledger);
    if (!more.empty() && left.empty()) module = j.role_that_opened(kinds, seen.end).value_or(module);
    left.insert(left.end(), more.begin(), more.end());
    if (seen.end.cm_ids > seen.before.cm_ids + ledger.excused_in_kernel())
      left.push_back(fmt::format("{} cm_ids in the kernel", seen.end.cm_ids - seen.before.cm_ids));
  }
  j.demand("LISTEN-LEAK-5", left.empty(),
           fmt::format("left after rpma_ep_shutdown: {}", fmt::join(left, "; ")), module);
}

}  // namespace

void judge_success(Judging& j) {
  const Observation& seen = j.seen;
  const std::string real = really_failed(j.library, j.evidence, j.call_window());
  if (j.expectation.promise == Promise::Success && seen.code != 0 && !real.empty()) {
    judge_refusal(j, real);
    return judge_what_was_asked_for(j);
  }
  const bool given = seen.out_after != 0 && seen.out_after != seen.out_before;
  if (j.expectation.promise == Promise::Either) {
    // Ruling 1: the module with the fault is at fault for an endpoint that does not work. But if the provider
    // reported a failure to the IUT, the IUT ignored it.
    if (given)
      j.demand_works("LISTEN-BELOW-1", seen.works, seen.use_text.data(), real.empty() ? j.faulted() : "iut");
    else
      j.fail("LISTEN-BELOW-1", "returned 0, but *ep_ptr holds no new endpoint", "iut");
  } else {
    j.demand("LISTEN-RET-1", seen.code == 0,
             "returned " + code_name(seen.code) + " although no provider call failed", "iut");
    if (seen.code != 0) return judge_what_was_asked_for(j);  // wrong arguments may be the reason
    j.demand("LISTEN-EPPTR-2", given, "returned 0, but *ep_ptr holds no new endpoint", "iut");
    if (given) j.demand_works("LISTEN-USE-1", seen.works, seen.use_text.data(), "iut");
  }
  judge_what_was_asked_for(j);
  if (given) judge_what_came_back(j);
}

}  // namespace conformance
