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

// A kind and a number. librdmacm's handles are addresses of heap blocks, so the number alone would not
// distinguish an event channel from its block.
struct Handle {
  rdmafault_resource kind;
  uint64_t number;
  auto operator<=>(const Handle&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 misreads it
};

struct Held {
  std::string_view acquired_by;
  std::string role;  // of the module that acquired it
  uint64_t channel;  // of a cm id
  bool excused;
  uint64_t made_within;  // of a channel: the id whose rdma_create_id created it, or 0
};

class Accounts {
 public:
  Accounts(const Library& library, const Evidence& evidence, Ledger& ledger)
      : library_(library), evidence_(evidence), ledger_(ledger) {}

  // Records are in the order in which calls were entered, but a call acquires and releases when it returns,
  // after its inner calls: librdmacm's first rdma_create_event_channel creates and destroys an internal
  // channel, which may have the same address as the returned one.
  void enter(const rdmafault_record& record) {
    std::vector<Open>& open = open_[record.thread];
    leave(open, record.depth);
    check_use(functions_[record.function], record);
    if ((record.flags & RDMAFAULT_INJECTED) != 0)
      for (Open& outer : open) outer.fault_within = true;
    open.push_back({&record});
  }

  // The end of a window: every call in it has returned.
  void leave_all() {
    for (auto& [thread, open] : open_) leave(open, 0);
  }

  void close() {
    for (auto& [handle, held] : held_)
      if (held.made_within != 0) excuse_with_its_id(held);
    for (const auto& [handle, held] : held_) {
      if (held.excused) {
        ledger_.excused_channels += static_cast<int>(handle.kind == RDMAFAULT_EVENT_CHANNEL);
        ledger_.excused_ids += static_cast<int>(handle.kind == RDMAFAULT_CM_ID);
        continue;
      }
      const std::string text = fmt::format("{} from {}", kResourceNames[handle.kind], held.acquired_by);
      if (handle.kind != RDMAFAULT_HEAP)
        ledger_.handles_left.push_back({text, held.role});
      else if (held.role == "iut")
        ledger_.blocks_left.push_back(text);
    }
  }

 private:
  // A call that has not returned yet.
  struct Open {
    const rdmafault_record* record;
    bool fault_within = false;          // a rule made an inner call fail
    std::vector<Handle> channels = {};  // created by inner calls
  };

  // Settles one thread's calls at this depth or deeper, which have returned, innermost first.
  void leave(std::vector<Open>& open, unsigned depth) {
    while (!open.empty() && open.back().record->depth >= depth) {
      const Open call = std::move(open.back());
      const rdmafault_record& record = *call.record;
      open.pop_back();
      const rdmafault_function& function = functions_[record.function];
      if ((record.flags & RDMAFAULT_COMPLETE) == 0) {
        // The process crashed or hung in it. Its argument may be the reason.
        note_illegal_release(function, record);
        continue;
      }
      if (record.released != 0 || function.releases != RDMAFAULT_NO_RESOURCE)
        release(function, record, call.fault_within);
      if (record.acquired == 0) continue;
      acquire(function, record, call.channels);
      if (function.acquires == RDMAFAULT_EVENT_CHANNEL && !open.empty())
        open.back().channels.push_back({function.acquires, record.acquired});
    }
  }

  // If an id is left because a rule made its release fail, its internal channel is left too.
  void excuse_with_its_id(Held& channel) {
    const auto id = held_.find({RDMAFAULT_CM_ID, channel.made_within});
    if (id != held_.end() && id->second.excused) channel.excused = true;
  }

  void acquire(const rdmafault_function& function, const rdmafault_record& record,
               const std::vector<Handle>& channels) {
    const Handle handle{function.acquires, record.acquired};
    gone_.erase(handle);
    const bool is_id = function.acquires == RDMAFAULT_CM_ID;
    held_[handle] = {function.name, role_of(library_, evidence_, record),
                     is_id ? static_cast<uint64_t>(record.args[0]) : 0, false, 0};
    if (!is_id) return;
    for (const Handle& channel : channels)
      if (const auto made = held_.find(channel); made != held_.end())
        made->second.made_within = record.acquired;
  }

  // Not for heap blocks: free(NULL) is legal, and a block may be older than the call.
  void note_illegal_release(const rdmafault_function& function, const rdmafault_record& record) {
    if (function.kind != RDMAFAULT_PROVIDER || function.releases == RDMAFAULT_NO_RESOURCE || record.depth > 0)
      return;
    const Handle handle{function.releases, record.released};
    if (record.released == 0)
      ledger_.illegal.push_back(fmt::format("{}(NULL)", function.name));
    else if (!held_.contains(handle))
      ledger_.illegal.push_back(
          fmt::format("{} of {} that {}", function.name, kResourceNames[function.releases],
                      gone_.contains(handle) ? "was already released" : "this call did not acquire"));
  }

  void release(const rdmafault_function& function, const rdmafault_record& record, bool fault_within) {
    note_illegal_release(function, record);
    const Handle handle{function.releases, record.released};
    const auto found = held_.find(handle);
    // A block can still be freed after realloc() failed; a handle cannot be released in another way.
    const bool excuses = function.kind == RDMAFAULT_PROVIDER;
    if ((record.flags & RDMAFAULT_INJECTED) != 0) {
      if (found != held_.end() && excuses) found->second.excused = true;
      return;
    }
    // A failed call has released nothing, except realloc(p, 0).
    const bool failed =
        (function.convention == RDMAFAULT_MINUS_ONE && record.result != 0) ||
        (function.convention == RDMAFAULT_POINTER && record.result == 0 && record.error == ENOMEM);
    if (found == held_.end()) return;
    if (failed) {
      found->second.excused = found->second.excused || (excuses && fault_within);
      return;
    }
    if (handle.kind == RDMAFAULT_EVENT_CHANNEL) {
      for (const auto& [other, held] : held_)
        if (other.kind == RDMAFAULT_CM_ID && held.channel == handle.number && !held.excused)
          ledger_.illegal.push_back(fmt::format("{} while a cm id is on that channel", function.name));
    }
    if (function.kind == RDMAFAULT_PROVIDER) gone_.insert(handle);
    held_.erase(found);
  }

  // A call with a handle that was already released, or never acquired.
  void check_use(const rdmafault_function& function, const rdmafault_record& record) {
    if (function.kind != RDMAFAULT_PROVIDER || function.releases != RDMAFAULT_NO_RESOURCE || record.depth > 0)
      return;
    for (size_t i = 0; i < RDMAFAULT_MAX_ARGS; ++i) {
      const std::string_view name = function.args[i] != nullptr ? function.args[i] : "";
      const rdmafault_resource kind = name == "id"        ? RDMAFAULT_CM_ID
                                      : name == "channel" ? RDMAFAULT_EVENT_CHANNEL
                                                          : RDMAFAULT_NO_RESOURCE;
      const Handle handle{kind, static_cast<uint64_t>(record.args[i])};
      if (kind == RDMAFAULT_NO_RESOURCE) continue;
      if (handle.number == 0) {
        // A NULL channel is legal: rdma_create_id then creates one.
        if (kind == RDMAFAULT_CM_ID)
          ledger_.illegal.push_back(fmt::format("{} with a NULL id", function.name));
        continue;
      }
      if (gone_.contains(handle))
        ledger_.illegal.push_back(fmt::format("{} with a released {}", function.name, name));
      else if (!held_.contains(handle))
        ledger_.illegal.push_back(
            fmt::format("{} with a {} that this call did not acquire", function.name, name));
    }
  }

  const Library& library_;
  const Evidence& evidence_;
  Ledger& ledger_;
  size_t count_ = 0;
  const rdmafault_function* functions_ = rdmafault_functions(&count_);
  std::map<int32_t, std::vector<Open>> open_;  // by thread, the outermost first
  std::map<Handle, Held> held_;
  std::set<Handle> gone_;  // provider handles that were released and not acquired again
};

}  // namespace

const rdmafault_function& function_of(const rdmafault_record& record) {
  size_t count = 0;
  return rdmafault_functions(&count)[record.function];
}

std::string role_of(const Library& library, const Evidence& evidence, const rdmafault_record& record) {
  if (record.module >= evidence.modules.size()) return "other";
  return role_of(library, evidence.modules[record.module].soname);
}

std::string texts_of(const std::vector<Left>& left) {
  std::string texts;
  for (const Left& one : left) texts += (texts.empty() ? "" : "; ") + one.text;
  return texts;
}

std::string role_to_blame(const std::vector<Left>& left) {
  const bool of_iut = std::ranges::find(left, "iut", &Left::role) != left.end();
  return of_iut ? "iut" : left.front().role;
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
