// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace conformance {

ElfFile::ElfFile(const std::string& path) {
  elf_version(EV_CURRENT);
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status {};
  if (file_ >= 0 && fstat(file_, &status) == 0 && S_ISREG(status.st_mode))
    elf_ = elf_begin(file_, ELF_C_READ_MMAP, nullptr);
}

ElfFile::~ElfFile() {
  elf_end(elf_);
  if (file_ >= 0) close(file_);
}

Elf_Scn* ElfFile::section(uint32_t type, GElf_Shdr& header) const {
  for (Elf_Scn* section = elf_nextscn(elf_, nullptr); section != nullptr;
       section = elf_nextscn(elf_, section))
    if (gelf_getshdr(section, &header) != nullptr && header.sh_type == type) return section;
  return nullptr;
}

std::string_view ElfFile::string(size_t table, size_t offset) const {
  const char* text = elf_strptr(elf_, table, offset);
  return text != nullptr ? std::string_view(text) : std::string_view();
}

std::vector<std::string> ElfFile::needed() const {
  std::vector<std::string> names;
  GElf_Shdr header{};
  Elf_Scn* dynamic = section(SHT_DYNAMIC, header);
  if (dynamic == nullptr) return names;
  Elf_Data* entries = elf_getdata(dynamic, nullptr);
  GElf_Dyn entry{};
  for (int i = 0; gelf_getdyn(entries, i, &entry) != nullptr; ++i)
    if (entry.d_tag == DT_NEEDED) names.emplace_back(string(header.sh_link, entry.d_un.d_val));
  return names;
}

}  // namespace conformance
