// SPDX-License-Identifier: BSD-3-Clause
//
// An ELF file, read with libelf, which checks what it reads.
#pragma once

#include <gelf.h>

#include <string>
#include <string_view>
#include <vector>

namespace conformance {

class ElfFile {
 public:
  // Has no sections where the file is missing, not a regular file, or not ELF. A pipe does not block.
  explicit ElfFile(const std::string& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;
  ElfFile(ElfFile&&) = delete;
  ElfFile& operator=(ElfFile&&) = delete;

  // The first section of type `type` (SHT_...), with its header; null where there is none.
  [[nodiscard]] Elf_Scn* section(uint32_t type, GElf_Shdr& header) const;

  // The string at `offset` of section `table`; empty where there is none. Valid as long as this lives.
  [[nodiscard]] std::string_view string(size_t table, size_t offset) const;

  // The libraries that it needs (DT_NEEDED).
  [[nodiscard]] std::vector<std::string> needed() const;

 private:
  int file_ = -1;
  Elf* elf_ = nullptr;
};

}  // namespace conformance
