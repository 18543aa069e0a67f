// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/ledger.h"

#include <fmt/format.h>

#include <cerrno>
#include <compare>
#include <map>
#include <set>
#include <vector>

namespace conformance {
namespace {

constexpr std::string_view kResourceNames[] = {"nothing", "an event channel", "a cm id", "an address result",
                                               "a heap block"};

// A handle is its kind and its number: librdmacm's handles are addresses of heap blocks, so the number alone
// would take an event channel for the block that holds it.
struct Handle {
  rdmafault_resource kind;
  uint64_t number;
  auto operator<=>(const Handle&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
};

struct Held {
  std::string_view acquired_by;
  bool by_iut;
  uint64_t channel;  // of a cm id
  bool excused;
};

class Accounts {
 public:
  Accounts(const Library& library, const Evidence& evidence, Ledger& ledger)
      : library_(library), evidence_(evidence), ledger_(ledger) {}

  // Records come in the order in which calls were entered, but a call acquires and releases as it returns,
  // after the calls made within it: librdmacm's first rdma_create_event_channel makes and destroys a channel
  // of its own, which may lie where the returned one will.
  void enter(const rdmafault_record& record) {
    std::vector<const rdmafault_record*>& open = open_[record.thread];
    leave(open, record.depth);
    check_use(functions_[record.function], record);
    open.push_back(&record);
  }

  // The end of a window: every call in it has returned.
  void leave_all() {
    for (auto& [thread, open] : open_) leave(open, 0);
  }

  void close() {
    for (const auto& [handle, held] : held_) {
      if (held.excused) continue;
      const std::string text = fmt::format("{} from {}", kResourceNames[handle.kind], held.acquired_by);
      if (handle.kind != RDMAFAULT_HEAP)
        ledger_.handles_left.push_back(text);
      else if (held.by_iut)
        ledger_.blocks_left.push_back(text);
    }
  }

 private:
  // The calls of one thread at this depth or deeper have returned, the innermost first.
  void leave(std::vector<const rdmafault_record*>& open, unsigned depth) {
    while (!open.empty() && open.back()->depth >= depth) {
      const rdmafault_record& record = *open.back();
      open.pop_back();
      const rdmafault_function& function = functions_[record.function];
      if ((record.flags & RDMAFAULT_COMPLETE) == 0) {
        note_illegal_release(function,
                             record);  // the process died or hung in it: of what, it was asked to release
        continue;
      }
      if (record.released != 0 || function.releases != RDMAFAULT_NO_RESOURCE) release(function, record);
      if (record.acquired != 0) acquire(function, record);
    }
  }

  void acquire(const rdmafault_function& function, const rdmafault_record& record) {
    const Handle handle{function.acquires, record.acquired};
    gone_.erase(handle);
    const bool is_id = function.acquires == RDMAFAULT_CM_ID;
    held_[handle] = {function.name, role_of(library_, evidence_, record) == "iut",
                     is_id ? static_cast<uint64_t>(record.args[0]) : 0, false};
  }

  // Of heap blocks nothing is illegal here: free(NULL) is fine, and a block may be older than the call.
  void note_illegal_release(const rdmafault_function& function, const rdmafault_record& record) {
    if (function.kind != RDMAFAULT_PROVIDER || function.releases == RDMAFAULT_NO_RESOURCE) return;
    const Handle handle{function.releases, record.released};
    if (record.released == 0)
      ledger_.illegal.push_back(fmt::format("{}(NULL)", function.name));
    else if (!held_.contains(handle))
      ledger_.illegal.push_back(
          fmt::format("{} of {} that {}", function.name, kResourceNames[function.releases],
                      gone_.contains(handle) ? "was released already" : "this call did not acquire"));
  }

  void release(const rdmafault_function& function, const rdmafault_record& record) {
    note_illegal_release(function, record);
    const Handle handle{function.releases, record.released};
    const auto found = held_.find(handle);
    if ((record.flags & RDMAFAULT_INJECTED) != 0) {
      if (found != held_.end()) found->second.excused = true;
      return;
    }
    // A function that can fail and failed has released nothing; realloc(p, 0) has.
    const bool failed =
        (function.convention == RDMAFAULT_MINUS_ONE && record.result != 0) ||
        (function.convention == RDMAFAULT_POINTER && record.result == 0 && record.error == ENOMEM);
    if (failed) return;
    if (found == held_.end()) return;
    if (handle.kind == RDMAFAULT_EVENT_CHANNEL) {
      for (const auto& [other, held] : held_)
        if (other.kind == RDMAFAULT_CM_ID && held.channel == handle.number && !held.excused)
          ledger_.illegal.push_back(fmt::format("{} while a cm id is still on that channel", function.name));
    }
    if (function.kind == RDMAFAULT_PROVIDER) gone_.insert(handle);
    held_.erase(found);
  }

  // A call on a handle that was released already, or that the listener made up.
  void check_use(const rdmafault_function& function, const rdmafault_record& record) {
    if (function.kind != RDMAFAULT_PROVIDER || function.releases != RDMAFAULT_NO_RESOURCE) return;
    for (size_t i = 0; i < RDMAFAULT_MAX_ARGS; ++i) {
      const std::string_view name = function.args[i] != nullptr ? function.args[i] : "";
      const rdmafault_resource kind = name == "id"        ? RDMAFAULT_CM_ID
                                      : name == "channel" ? RDMAFAULT_EVENT_CHANNEL
                                                          : RDMAFAULT_NO_RESOURCE;
      const Handle handle{kind, static_cast<uint64_t>(record.args[i])};
      if (kind == RDMAFAULT_NO_RESOURCE || handle.number == 0) continue;
      if (gone_.contains(handle))
        ledger_.illegal.push_back(fmt::format("{} on a released {}", function.name, name));
      else if (record.depth == 0 && !held_.contains(handle))
        ledger_.illegal.push_back(fmt::format("{} on no {} that this call acquired", function.name, name));
    }
  }

  const Library& library_;
  const Evidence& evidence_;
  Ledger& ledger_;
  size_t count_ = 0;
  const rdmafault_function* functions_ = rdmafault_functions(&count_);
  std::map<int32_t, std::vector<const rdmafault_record*>> open_;  // by thread, the outermost first
  std::map<Handle, Held> held_;
  std::set<Handle> gone_;  // provider handles that were released and not handed out anew
};

}  // namespace

std::string role_of(const Library& library, const Evidence& evidence, const rdmafault_record& record) {
  if (record.module >= evidence.modules.size()) return "other";
  return role_of(library, evidence.modules[record.module].soname);
}

Ledger settle(const Library& library, const Evidence& evidence, const std::vector<Window>& windows) {
  Ledger ledger;
  Accounts accounts(library, evidence, ledger);
  for (const Window& window : windows) {
    for (uint32_t i = window.first; i < window.last && i < evidence.records.size(); ++i)
      accounts.enter(evidence.records[i]);
    accounts.leave_all();
  }
  accounts.close();
  return ledger;
}

}  // namespace conformance
