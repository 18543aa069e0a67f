// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/symbols.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "conformance/harness/attribution.h"

namespace conformance {
namespace {

constexpr size_t kLongestName = 120;
constexpr size_t kSignatureFrames = 6;

// How many symbols before an offset are tried: a function may contain labels.
constexpr size_t kNested = 16;

using Bytes = std::span<const std::byte>;

// A file's bytes, as long as this lives.
class Mapping {
 public:
  explicit Mapping(const std::string& path) {
    // Not to wait for whoever should write to a pipe of that name.
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return;
    struct stat status {};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      const auto size = static_cast<size_t>(status.st_size);
      memory_ = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (memory_ != MAP_FAILED) bytes_ = {static_cast<const std::byte*>(memory_), size};
    }
    close(file);
  }
  ~Mapping() {
    if (!bytes_.empty()) munmap(memory_, bytes_.size());
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  Mapping(Mapping&&) = delete;
  Mapping& operator=(Mapping&&) = delete;

  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  void* memory_ = MAP_FAILED;
  Bytes bytes_;
};

// Nothing in a file is trusted: each access says how far it goes, and gets nothing where that is too far.
Bytes part(Bytes file, uint64_t offset, uint64_t size) {
  if (offset > file.size() || size > file.size() - offset) return {};
  return file.subspan(offset, size);
}

// By copy: in a file that is not what it claims to be, nothing is aligned.
template <typename T>
std::optional<T> read(Bytes bytes, uint64_t index) {
  if (index >= bytes.size() / sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

Bytes section_headers(Bytes file) {
  const auto header = read<ElfW(Ehdr)>(part(file, 0, sizeof(ElfW(Ehdr))), 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
      header->e_shentsize != sizeof(ElfW(Shdr)) || header->e_shoff == 0)
    return {};
  uint64_t count = header->e_shnum;
  if (count == 0) {  // more than the field can hold: the first section says how many
    const auto first = read<ElfW(Shdr)>(part(file, header->e_shoff, sizeof(ElfW(Shdr))), 0);
    count = first && first->sh_size <= UINT32_MAX ? first->sh_size : 0;
  }
  return part(file, header->e_shoff, count * sizeof(ElfW(Shdr)));
}

std::optional<ElfW(Shdr)> section_of_type(Bytes sections, uint32_t type) {
  for (uint64_t i = 0; i < sections.size() / sizeof(ElfW(Shdr)); ++i) {
    const auto section = read<ElfW(Shdr)>(sections, i);
    if (section && section->sh_type == type && section->sh_entsize == sizeof(ElfW(Sym))) return section;
  }
  return std::nullopt;
}

// Up to its terminator or its version, whichever comes first.
std::string_view name_at(Bytes strings, uint64_t offset) {
  if (offset >= strings.size()) return {};
  const std::string_view rest(reinterpret_cast<const char*>(strings.data()) + offset,
                              strings.size() - offset);
  const size_t end = rest.find('\0');
  if (end == std::string_view::npos) return {};
  return rest.substr(0, std::min(end, rest.substr(0, end).find('@')));
}

// Of several names for one function the usual one: "poll", not "__poll"; exported before local.
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
  return of_image(Mapping(path).bytes());
}

SymbolTable SymbolTable::of_image(std::span<const std::byte> file) {
  const Bytes sections = section_headers(file);
  auto section = section_of_type(sections, SHT_SYMTAB);
  if (!section) section = section_of_type(sections, SHT_DYNSYM);
  if (!section) return {};
  const auto names = read<ElfW(Shdr)>(sections, section->sh_link);
  if (!names || names->sh_type != SHT_STRTAB) return {};
  const Bytes symbols = part(file, section->sh_offset, section->sh_size);
  const Bytes strings = part(file, names->sh_offset, names->sh_size);

  struct Candidate {
    uint64_t start, size;
    std::string_view name;
    bool is_local;
  };
  std::vector<Candidate> candidates;
  for (uint64_t i = 0; i < symbols.size() / sizeof(ElfW(Sym)); ++i) {
    const auto symbol = read<ElfW(Sym)>(symbols, i);
    if (!symbol || symbol->st_shndx == SHN_UNDEF) continue;
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    if (type != STT_FUNC && type != STT_GNU_IFUNC) continue;
    const std::string_view name = name_at(strings, symbol->st_name);
    if (!name.empty())
      candidates.push_back(
          {symbol->st_value, symbol->st_size, name, ELF64_ST_BIND(symbol->st_info) == STB_LOCAL});
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
