// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

#include "conformance/harness/codes.h"
#include "conformance/harness/ledger.h"
#include "conformance/report/document.h"

namespace conformance {
namespace {

std::string number(int64_t value) {
  constexpr int64_t kLargestNumber = 0xffff'ffff;
  return value <= kLargestNumber ? fmt::format("{}", value)
                                 : fmt::format("{:#x}", static_cast<uint64_t>(value));
}

// Nothing where the caller is not in a module.
std::optional<Place> place_of_caller(const rdmafault_record& record, const Evidence& evidence) {
  if (record.module >= evidence.modules.size()) return std::nullopt;
  const rdmafault_module& module = evidence.modules[record.module];
  Place place{};
  place.address = record.caller;
  place.offset = record.caller - module.base;
  const std::string_view path = module.path;
  const std::string file(path.empty() ? module.soname : path.substr(path.rfind('/') + 1));
  file.copy(place.file.data(), place.file.size() - 1);
  return place;
}

std::string result(const rdmafault_record& record, const rdmafault_function& function) {
  if ((record.flags & RDMAFAULT_COMPLETE) == 0) return "did not return";
  const char* name = record.error != 0 ? strerrorname_np(record.error) : nullptr;
  const std::string error = name != nullptr ? fmt::format(" {}", name) : "";
  switch (function.convention) {
    case RDMAFAULT_VOID:
      return "";
    case RDMAFAULT_POINTER:
      return record.result == 0 ? "NULL" + error : fmt::format("{:#x}", static_cast<uint64_t>(record.result));
    case RDMAFAULT_SYSTEM:
      return record.error != 0 ? "-1" + error : number(record.result);
    default:
      return record.result == 0 ? "0" : fmt::format("{}{}", record.result, error);
  }
}

class Lines {
 public:
  Lines(const Library& library, const Evidence& evidence, const Symbols& symbols, bool all)
      : library_(library), evidence_(evidence), symbols_(symbols), all_(all) {}

  void part(std::string_view title, uint32_t first, uint32_t last) {
    text_ += fmt::format("{}\n", title);
    for (uint32_t i = first; i < last && i < evidence_.records.size(); ++i) add(evidence_.records[i]);
    say_what_was_left_out();
  }
  void remark(const std::string& line) { text_ += fmt::format("     {}\n", line); }
  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  [[nodiscard]] bool is_shown(const rdmafault_record& record) const {
    if (all_ || (record.flags & RDMAFAULT_INJECTED) != 0 || (record.flags & RDMAFAULT_COMPLETE) == 0)
      return true;
    return function_of(record).kind != RDMAFAULT_ALLOCATOR || role_of(library_, evidence_, record) == "iut";
  }

  void add(const rdmafault_record& record) {
    if (!is_shown(record)) {
      ++left_out_;
      return;
    }
    say_what_was_left_out();
    const rdmafault_function& function = function_of(record);
    std::string arguments;
    for (size_t i = 0; i < RDMAFAULT_MAX_ARGS && function.args[i] != nullptr; ++i)
      arguments +=
          fmt::format("{}{}={}", i == 0 ? "" : ", ", function.args[i], argument(record, function, i));
    const bool injected = (record.flags & RDMAFAULT_INJECTED) != 0;
    const bool returned = (record.flags & RDMAFAULT_COMPLETE) != 0;
    std::string gave = result(record, function);
    if (!gave.empty()) gave = (returned ? " = " : " ") + gave;
    text_ += fmt::format("{:>4} {}{}({}){}  <- {}{}\n", injected ? ">>>" : "",
                         std::string(2 * static_cast<size_t>(record.depth), ' '), function.name, arguments,
                         gave, caller(record), injected ? "  [injected]" : "");
  }

  static std::string argument(const rdmafault_record& record, const rdmafault_function& function, size_t i) {
    const std::string_view name = function.args[i];
    if (name == "path" && record.text[0] != '\0') return fmt::format("\"{}\"", record.text);
    const int64_t value = record.args[i];
    constexpr int64_t kLargestNumber = 0xffff;  // larger values are handles, addresses or flags
    return value >= -1 && value <= kLargestNumber ? fmt::format("{}", value)
                                                  : fmt::format("{:#x}", static_cast<uint64_t>(value));
  }

  [[nodiscard]] std::string caller(const rdmafault_record& record) const {
    const std::optional<Place> place = place_of_caller(record, evidence_);
    if (!place) return fmt::format("{:#x}", record.caller);
    return fmt::format("{} {}", role_of(library_, evidence_, record),
                       symbols_.describe(*place, evidence_.observation, Address::Return));
  }

  void say_what_was_left_out() {
    if (left_out_ > 0)
      text_ += fmt::format("     ... {} allocator calls of modules below the IUT ...\n", left_out_);
    left_out_ = 0;
  }

  const Library& library_;
  const Evidence& evidence_;
  const Symbols& symbols_;
  bool all_;
  size_t left_out_ = 0;
  std::string text_;
};

std::string_view in_words(Works works) {
  return works == Works::Yes  ? "it works"
         : works == Works::No ? "it does not work"
                              : "unknown whether it works";
}

}  // namespace

std::string caller_in_words(const rdmafault_record& record, const Evidence& evidence,
                            const Symbols& symbols) {
  const std::optional<Place> place = place_of_caller(record, evidence);
  return place ? symbols.name_of(*place, evidence.observation, Address::Return) : "";
}

std::string result_in_words(const rdmafault_record& record) {
  // Addresses differ between processes.
  const rdmafault_function& function = function_of(record);
  const bool is_address = function.convention == RDMAFAULT_POINTER && record.result != 0;
  return is_address ? "not NULL" : result(record, function);
}

std::string timeline(const Library& library, const Evidence& evidence, const Symbols& symbols,
                     const TimelineOptions& options) {
  const Observation& seen = evidence.observation;
  const auto end = static_cast<uint32_t>(evidence.records.size());
  Lines lines(library, evidence, symbols, options.all);
  lines.part("the call under test", seen.call_first, seen.returned != 0 ? seen.call_last : end);
  for (uint32_t i = 0; i < std::min<size_t>(seen.stores, seen.store.size()); ++i)
    lines.remark(fmt::format("stored to the out-parameter: {:#x} -> {:#x}, by {}", seen.store.at(i).before,
                             seen.store.at(i).after, symbols.describe(seen.store.at(i).by, seen)));
  if (seen.unguarded != 0)
    lines.remark(
        "the IUT replaced signal handlers of the guard, so stores to the out-parameter are not seen");
  if (seen.returned != 0)
    lines.remark(fmt::format("returned {}; the out-parameter went from {:#x} to {:#x}",
                             seen.code == 0 ? "0" : code_name(seen.code), seen.out_before, seen.out_after));
  if (seen.log_size > 0) {
    std::string_view log(seen.log.data(), strnlen(seen.log.data(), seen.log.size()));
    while (!log.empty()) {
      const std::string_view line = log.substr(0, log.find('\n'));
      if (!line.empty()) lines.remark(fmt::format("the IUT logged: {}", as_one_line(line)));
      log.remove_prefix(std::min(log.size(), line.size() + 1));
    }
  }
  if (seen.used != 0)
    lines.remark(fmt::format("the endpoint was used: {}{}{}", in_words(seen.works),
                             seen.use_text[0] != '\0' ? ": " : "", seen.use_text.data()));
  if (seen.undone != 0) {
    lines.part("shutdown of the endpoint", seen.undo_first, seen.undo_last);
    lines.remark(fmt::format("returned {}", seen.undo_code));
  }
  if (seen.again != 0) {
    lines.part("the next call, without a rule", seen.again_first, seen.again_last);
    lines.remark(fmt::format("returned {}; {}{}{}", seen.again_code == 0 ? "0" : code_name(seen.again_code),
                             in_words(seen.again_works), seen.again_text[0] != '\0' ? ": " : "",
                             seen.again_text.data()));
  }
  return std::move(lines).text();
}

}  // namespace conformance
