// SPDX-License-Identifier: BSD-3-Clause
//
// Names of places in loaded objects: the nearest function symbol before a place, from the object's file. Used
// by the runner after the child has ended: it allocates, so it is not for signal handlers.
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

// The function symbol for a place at or after its start.
struct Symbol {
  std::string name;     // demangled, without version; printable ASCII
  uint64_t past = 0;    // bytes from its start to the place
  bool inside = false;  // false: the place is after the symbol's end and has no own symbol
};

// The function symbols of one ELF file, read with libelf: of .symtab, or where that was stripped, of
// .dynsym, which names only what is exported. A file that is missing, truncated or not what it claims to be
// has none; nothing is thrown for it.
class SymbolTable {
 public:
  SymbolTable() = default;
  static SymbolTable of_file(const std::string& path);

  // The symbol that contains `offset` (relative to the load address), otherwise the nearest one before it.
  [[nodiscard]] std::optional<Symbol> find(uint64_t offset) const;
  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    uint64_t start;
    uint64_t size;
    std::string name;
  };
  std::vector<Entry> entries_;  // ascending; one for each start
};

// The kind of an address. A return address is after the call, which may be the last instruction of its
// function, so the byte before it is looked up.
enum class Address { Instruction, Return };

// Reads each file once, at the first lookup. Not thread-safe.
class Symbols {
 public:
  explicit Symbols(const Library& library) : library_(library) {}

  // "librdmacm.so.1+0x5b40 (rdma_create_id+0x120)"; beyond the symbol's end "librdmacm.so.1+0x5b40 (after
  // rdma_create_id+0x1f20)"; without a symbol "librdmacm.so.1+0x5b40"; in no object only the address. The
  // child's load addresses are in the observation; if it ended before they were recorded, this process's are
  // used.
  [[nodiscard]] std::string describe(const Place& place, const Observation& observation,
                                     Address kind = Address::Instruction) const;

  // The same without numbers, which differ between releases: "librdmacm!rdma_create_id".
  [[nodiscard]] std::string name_of(const Place& place, const Observation& observation,
                                    Address kind = Address::Instruction) const;

  // The recorded frames, innermost first, up to the outermost one of the IUT, without the shim's. Empty if no
  // frame was recorded.
  [[nodiscard]] std::vector<std::string> stack_of(const Observation& observation) const;

  // The same for all stacks of one cause: "librdmacm!rdma_create_id < librpma!rpma_ep_listen". At most six
  // frames, without offsets. Of a hang only those from the outermost frame of `module` (its role) on: the
  // place within its loop is random. Empty if no frame was recorded.
  [[nodiscard]] std::string signature_of(const Observation& observation, const std::string& module) const;

 private:
  [[nodiscard]] std::vector<size_t> frames_of_the_stack(const Observation& observation) const;
  [[nodiscard]] std::optional<Symbol> symbol_at(const Place& place, const Observation& observation,
                                                Address kind) const;

  const Library& library_;
  mutable std::map<std::string, SymbolTable, std::less<>> tables_;  // by path
};

}  // namespace conformance
