// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/symbols.h"

#include <cxxabi.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "conformance/harness/attribution.h"
#include "conformance/harness/elf_file.h"

namespace conformance {
namespace {

constexpr size_t kLongestName = 120;
constexpr size_t kSignatureFrames = 6;

// How many symbols before an offset are tried: a function may contain labels.
constexpr size_t kNested = 16;

// Of several names for one function the one that people know: "poll", not "__poll"; exported before local.
auto rank(std::string_view name, bool is_local) {
  const size_t underscores = std::min(name.find_first_not_of('_'), name.size());
  return std::tuple(underscores, is_local, name);
}

std::string readable(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(
      symbol.starts_with("_Z") && symbol.size() < 4096
          ? abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status)
          : nullptr,
      std::free);
  std::string name = plain != nullptr ? plain.get() : symbol;
  if (name.size() > kLongestName) name = name.substr(0, kLongestName - 3) + "...";
  // The name is printed in reports, and the file is not trusted.
  std::ranges::replace_if(
      name, [](char c) { return c < ' ' || c > '~'; }, '?');
  return name;
}

std::string path_by_name(const std::string& path) {
  return path.empty() ? "main" : path.substr(path.rfind('/') + 1);
}

// Finds a loaded object. The load address counts more than the name, which may be of a link or of its target.
class Finder {
 public:
  explicit Finder(const Place& place) : file_(place.file.data()), base_(place.address - place.offset) {}

  void consider(uint64_t base, const std::string& path) {
    const bool same_base = base == base_;
    const bool same_name = path_by_name(path) == file_;
    const int match = (same_base ? 2 : 0) + (same_name ? 1 : 0);
    if (match <= best_) return;
    best_ = match;
    path_ = path.empty() ? "/proc/self/exe" : path;
  }

  // Empty if there is no such object, or it has no file, as the vDSO.
  [[nodiscard]] std::string path() const { return path_.find('/') != std::string::npos ? path_ : ""; }

 private:
  std::string file_;
  uint64_t base_;
  int best_ = 0;
  std::string path_;
};

int consider_own(dl_phdr_info* info, size_t, void* finder) {
  static_cast<Finder*>(finder)->consider(info->dlpi_addr, info->dlpi_name);
  return 0;
}

std::string path_of(const Place& place, const Observation& observation) {
  Finder in_child(place);
  const size_t listed = std::min<size_t>(observation.module_count, observation.modules.size());
  for (const LoadedModule& module : std::span(observation.modules).first(listed)) {
    const size_t length = strnlen(module.path.data(), module.path.size());
    // A path that fills its field may be cut.
    if (length + 1 < module.path.size()) in_child.consider(module.base, {module.path.data(), length});
  }
  if (std::string path = in_child.path(); !path.empty()) return path;
  // The child was forked from this process: objects loaded before have the same address.
  Finder here(place);
  dl_iterate_phdr(consider_own, &here);
  return here.path();
}

Address kind_of_frame(size_t index) {
  return index == 0 ? Address::Instruction : Address::Return;
}

std::span<const Place> frames_of(const Observation& observation) {
  return std::span(observation.frame).first(std::min<size_t>(observation.frames, observation.frame.size()));
}

}  // namespace

SymbolTable SymbolTable::of_file(const std::string& path) {
  const ElfFile file(path);
  GElf_Shdr header{};
  Elf_Scn* section = file.section(SHT_SYMTAB, header);
  if (section == nullptr) section = file.section(SHT_DYNSYM, header);
  if (section == nullptr) return {};

  struct Candidate {
    uint64_t start, size;
    std::string_view name;
    bool is_local;
  };
  std::vector<Candidate> candidates;
  Elf_Data* symbols = elf_getdata(section, nullptr);
  GElf_Sym symbol{};
  for (int i = 0; gelf_getsym(symbols, i, &symbol) != nullptr; ++i) {
    const unsigned type = GELF_ST_TYPE(symbol.st_info);
    if (symbol.st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_GNU_IFUNC)) continue;
    std::string_view name = file.string(header.sh_link, symbol.st_name);
    name = name.substr(0, name.find('@'));  // without its version
    if (!name.empty())
      candidates.push_back(
          {symbol.st_value, symbol.st_size, name, GELF_ST_BIND(symbol.st_info) == STB_LOCAL});
  }
  std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
    return std::pair(a.start, rank(a.name, a.is_local)) < std::pair(b.start, rank(b.name, b.is_local));
  });

  SymbolTable table;
  for (const Candidate& candidate : candidates) {
    if (!table.entries_.empty() && table.entries_.back().start == candidate.start) {
      Entry& known = table.entries_.back();
      known.size = std::max(known.size, candidate.size);
    } else {
      table.entries_.push_back({candidate.start, candidate.size, std::string(candidate.name)});
    }
  }
  return table;
}

bool SymbolTable::has(std::string_view name) const {
  return std::ranges::find(entries_, name, &Entry::name) != entries_.end();
}

std::optional<Symbol> SymbolTable::find(uint64_t offset) const {
  const auto next = std::ranges::upper_bound(entries_, offset, {}, &Entry::start);
  const auto before = static_cast<size_t>(next - entries_.begin());
  for (size_t i = before; i > 0 && before - i < kNested; --i) {
    const Entry& entry = entries_[i - 1];
    if (offset - entry.start < entry.size) return Symbol{readable(entry.name), offset - entry.start, true};
  }
  if (before == 0) return std::nullopt;
  const Entry& nearest = entries_[before - 1];
  return Symbol{readable(nearest.name), offset - nearest.start, false};
}

std::optional<Symbol> Symbols::symbol_at(const Place& place, const Observation& observation,
                                         Address kind) const {
  if (place.file[0] == '\0') return std::nullopt;
  const std::string path = path_of(place, observation);
  if (path.empty()) return std::nullopt;
  auto table = tables_.find(path);
  if (table == tables_.end()) table = tables_.emplace(path, SymbolTable::of_file(path)).first;
  const uint64_t back = kind == Address::Return && place.offset > 0 ? 1 : 0;
  std::optional<Symbol> symbol = table->second.find(place.offset - back);
  if (symbol) symbol->past += back;
  return symbol;
}

std::string Symbols::describe(const Place& place, const Observation& observation, Address kind) const {
  const std::optional<Symbol> symbol = symbol_at(place, observation, kind);
  if (!symbol) return show(place);
  return fmt::format("{} ({}{}+{:#x})", show(place), symbol->inside ? "" : "after ", symbol->name,
                     symbol->past);
}

std::string Symbols::name_of(const Place& place, const Observation& observation, Address kind) const {
  const std::string file = place.file.data();
  const std::optional<Symbol> symbol = symbol_at(place, observation, kind);
  std::string name = "?";
  if (symbol) name = (symbol->inside ? "" : "after ") + symbol->name;
  return fmt::format("{}!{}", file.empty() ? "nowhere" : file.substr(0, file.find(".so")), name);
}

std::vector<size_t> Symbols::frames_of_the_stack(const Observation& observation) const {
  const std::span<const Place> frames = frames_of(observation);
  size_t end = frames.size();  // without a frame of the IUT: all of them
  for (size_t i = 0; i < frames.size(); ++i)
    if (role_of(library_, frames[i].file.data()) == "iut") end = i + 1;
  std::vector<size_t> indices;
  for (size_t i = 0; i < end; ++i) {
    const std::string file = frames[i].file.data();
    const bool is_shim = file != "main" && role_of(library_, file) == "harness";
    if (!is_shim) indices.push_back(i);
  }
  return indices;
}

std::vector<std::string> Symbols::stack_of(const Observation& observation) const {
  std::vector<std::string> stack;
  for (const size_t i : frames_of_the_stack(observation))
    stack.push_back(describe(frames_of(observation)[i], observation, kind_of_frame(i)));
  return stack;
}

std::string Symbols::signature_of(const Observation& observation, const std::string& module) const {
  std::vector<std::string> parts;
  size_t begin = 0;
  if (observation.timed_out != 0)
    for (const size_t i : frames_of_the_stack(observation))
      if (role_of(library_, frames_of(observation)[i].file.data()) == module) begin = i;
  for (const size_t i : frames_of_the_stack(observation)) {
    if (i < begin) continue;
    if (parts.size() == kSignatureFrames) break;
    parts.push_back(name_of(frames_of(observation)[i], observation, kind_of_frame(i)));
  }
  return fmt::format("{}", fmt::join(parts, " < "));
}

}  // namespace conformance
