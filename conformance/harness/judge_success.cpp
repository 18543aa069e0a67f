// SPDX-License-Identifier: BSD-3-Clause
//
// What a success promises: an endpoint that works, asked for rightly, and given back whole.
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
        {clause, Outcome::of(Verdict::Unreached, fmt::format("the listener never called {}", function)), ""});
  };
  if (id == nullptr) {
    unreached("LISTEN-USE-2", "rdma_create_id");
  } else {
    const int64_t space = Judging::argument(*id, "port_space");
    j.demand("LISTEN-USE-2", space == RDMA_PS_TCP, fmt::format("asked for port space {:#x}", space), "iut");
  }
  if (resolved == nullptr) {
    unreached("LISTEN-USE-3", "rdma_getaddrinfo");
    unreached("LISTEN-USE-4", "rdma_getaddrinfo");
    return;
  }
  // rdma_getaddrinfo(3) lets either of the two be left 0; what is set must say the same.
  const int64_t type = Judging::argument(*resolved, "qp_type");
  const int64_t space = Judging::argument(*resolved, "port_space");
  j.demand("LISTEN-USE-3",
           (type == IBV_QPT_RC || type == 0) && (space == RDMA_PS_TCP || space == 0) && type + space != 0,
           fmt::format("the hints ask for QP type {} and port space {:#x}", type, space), "iut");
  j.demand("LISTEN-USE-4", (Judging::argument(*resolved, "flags") & RAI_PASSIVE) != 0,
           "the hints lack RAI_PASSIVE", "iut");
}

// The surroundings may be at fault, or what the IUT asked for. The mock refuses nothing that is asked
// rightly; elsewhere it tells whether the same was had without the IUT.
void judge_refusal(Judging& j, const std::string& real) {
  const Observation& seen = j.seen;
  const std::string returned = fmt::format("returned {}, for {}", code_name(seen.code), real);
  if (j.on_mock() && j.experiment.condition.empty())
    j.fail("LISTEN-RET-1", returned, "iut");
  else if (seen.without_iut == Works::Yes)
    j.fail("LISTEN-RET-1",
           returned + "; but librdmacm's calls alone listened there, and the IUT was refused once more",
           "iut");
  else if (seen.without_iut_text[0] != '\0')
    j.cannot_tell("LISTEN-RET-1", fmt::format("{}; {}", real, seen.without_iut_text.data()));
  else
    j.cannot_tell("LISTEN-RET-1", real);
}

void judge_what_came_back(Judging& j) {
  const Observation& seen = j.seen;
  if (seen.undone == 0) return;
  const Ledger ledger = settle(j.library, j.evidence, {j.call_window(), {seen.undo_first, seen.undo_last}});
  // What the IUT acquired is the IUT's to give back; of the rest the module answers in which a fault was put.
  std::string module = j.faulted();
  if (!ledger.handles_left.empty()) module = role_to_blame(ledger.handles_left);
  std::vector<std::string> left;
  for (const Left& one : ledger.handles_left) left.push_back(one.text);
  left.insert(left.end(), ledger.blocks_left.begin(), ledger.blocks_left.end());
  if (seen.undo_code != 0) left.push_back("rpma_ep_shutdown returned " + code_name(seen.undo_code));
  if (!ledger.blocks_left.empty() || seen.undo_code != 0) module = "iut";
  // A cold process keeps what the libraries cache on first use; nothing tells that from a leak here.
  if (j.experiment.start != Start::Cold) {
    const std::map<std::string, int> kinds = gained_descriptors(seen.before, seen.end);
    const std::vector<std::string> more = Judging::in_words(kinds, ledger);
    if (!more.empty() && left.empty()) module = j.who_opened(kinds, seen.end).value_or(module);
    left.insert(left.end(), more.begin(), more.end());
    if (seen.end.cm_ids > seen.before.cm_ids + ledger.excused_in_kernel())
      left.push_back(fmt::format("{} cm_ids in the kernel", seen.end.cm_ids - seen.before.cm_ids));
  }
  j.demand("LISTEN-LEAK-5", left.empty(),
           fmt::format("after the shutdown there remained: {}", fmt::join(left, "; ")), module);
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
    // Ruling 1: what a fault below spoils is the affair of the module that it was put in; but where the
    // provider told the IUT of a failure, the IUT went on all the same.
    if (given)
      j.demand_works("LISTEN-BELOW-1", seen.works, seen.use_text.data(), real.empty() ? j.faulted() : "iut");
    else
      j.fail("LISTEN-BELOW-1", "returned 0, but *ep_ptr holds no new endpoint", "iut");
  } else {
    j.demand("LISTEN-RET-1", seen.code == 0,
             "returned " + code_name(seen.code) + " though nothing failed underneath", "iut");
    if (seen.code != 0) return judge_what_was_asked_for(j);  // which may be why it refused
    j.demand("LISTEN-EPPTR-2", given, "returned 0, but *ep_ptr holds no new endpoint", "iut");
    if (given) j.demand_works("LISTEN-USE-1", seen.works, seen.use_text.data(), "iut");
  }
  judge_what_was_asked_for(j);
  if (given) judge_what_came_back(j);
}

}  // namespace conformance
