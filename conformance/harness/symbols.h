// SPDX-License-Identifier: BSD-3-Clause
//
// Names of places in loaded objects: the nearest function symbol before a place, read from the object's file.
// The runner does this after the child has ended, so it may allocate; nothing here is for signal handlers.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/harness/library.h"
#include "conformance/harness/observation.h"

namespace conformance {

// A function symbol, as seen from a place at or behind its start.
struct Symbol {
  std::string name;     // demangled, without version; printable ASCII
  uint64_t past = 0;    // bytes from its start to the place
  bool inside = false;  // false: beyond its end, in something that has no symbol of its own
};

// The function symbols of one ELF file, read with libelf: of .symtab, or where that was stripped, of
// .dynsym, which names only what is exported. A file that is missing, truncated or not what it claims to be
// has none; nothing is thrown for it.
class SymbolTable {
 public:
  SymbolTable() = default;
  static SymbolTable of_file(const std::string& path);

  // `offset` is in the file's own numbering. The symbol that holds it, otherwise the nearest before it.
  [[nodiscard]] std::optional<Symbol> find(uint64_t offset) const;
  [[nodiscard]] size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t start;
    uint64_t size;
    std::string name;
  };
  std::vector<Entry> entries_;  // ascending; one for each start
};

// What an address is. A return address lies behind the call, which may be the last instruction of its
// function: the byte before it is looked up.
enum class Address { Instruction, Return };

// Reads each file once, as it is when first asked for. Not for several threads at once.
class Symbols {
 public:
  explicit Symbols(const Library& library) : library_(library) {}

  // "librdmacm.so.1+0x5b40 (rdma_create_id+0x120)"; beyond the symbol's end "librdmacm.so.1+0x5b40 (after
  // rdma_create_id+0x1f20)"; without a symbol "librdmacm.so.1+0x5b40"; in no object the bare address. The
  // observation says where the child had loaded what; where it died too early for that, this process does.
  [[nodiscard]] std::string describe(const Place& place, const Observation& observation,
                                     Address kind = Address::Instruction) const;

  // The same without numbers, which shift between releases: "librdmacm!rdma_create_id".
  [[nodiscard]] std::string name_of(const Place& place, const Observation& observation,
                                    Address kind = Address::Instruction) const;

  // The recorded frames, innermost first, up to the outermost of the IUT, without the shim's own. Empty where
  // none were recorded.
  [[nodiscard]] std::vector<std::string> stack_of(const Observation& observation) const;

  // What a stack has in common with others of the same cause: "librdmacm!rdma_create_id <
  // librpma!rpma_ep_listen", the same frames, six at most, without offsets. Of a hang only those from the
  // outermost of the accused module (its role) on, for where within it a loop is met is chance. Empty where
  // no frames were recorded.
  [[nodiscard]] std::string signature_of(const Observation& observation, const std::string& module) const;

 private:
  [[nodiscard]] std::vector<size_t> frames_of_the_stack(const Observation& observation) const;
  [[nodiscard]] std::optional<Symbol> symbol_at(const Place& place, const Observation& observation,
                                                Address kind) const;

  const Library& library_;
  mutable std::map<std::string, SymbolTable, std::less<>> tables_;  // by path
};

}  // namespace conformance
