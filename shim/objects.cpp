// SPDX-License-Identifier: BSD-3-Clause
//
// Finds loaded objects through _dl_find_object(), which costs a few nanoseconds and is safe in signal
// handlers. The dynamic linker has it; the shim must not link it by name, so it looks it up once.
#include "shim/objects.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>

#include "shim/text.h"

namespace rdmafault {
namespace {

using FindObject = int (*)(void*, dl_find_object*);

constinit std::atomic<FindObject> loader_find = nullptr;
constinit char main_path[256] = "";

// An address in a dynamic section. The loader relocates it, except in the vDSO, which is read-only.
std::uint64_t relocated(std::uint64_t address, std::uint64_t base) {
  return address < base ? address + base : address;
}

}  // namespace

std::string_view Object::soname() const {
  if (is_main()) return "main";
  const char* strings = nullptr;
  std::uint64_t offset = 0;
  bool found = false;
  for (const ElfW(Dyn)* entry = dynamic; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) {
      strings = reinterpret_cast<const char*>(relocated(entry->d_un.d_ptr, base));
    } else if (entry->d_tag == DT_SONAME) {
      offset = entry->d_un.d_val;
      found = true;
    }
  }
  if (found && strings != nullptr) return strings + offset;
  const std::string_view whole = name;
  const std::size_t slash = whole.rfind('/');
  return slash == std::string_view::npos ? whole : slice(whole, slash + 1);
}

std::string_view Object::path() const {
  return is_main() ? main_path : name;
}

void Snapshot::take() {
  count_ = 0;
  dl_iterate_phdr(&Snapshot::add, this);
}

int Snapshot::add(dl_phdr_info* info, std::size_t /*size*/, void* self) {
  auto& snapshot = *static_cast<Snapshot*>(self);
  if (snapshot.count_ == kMost) return 1;
  Object object = {info->dlpi_addr, UINT64_MAX, 0, nullptr, info->dlpi_name};
  for (std::size_t i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const std::uint64_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) object.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (header.p_type != PT_LOAD) continue;
    if (begin < object.start) object.start = begin;
    if (begin + header.p_memsz > object.end) object.end = begin + header.p_memsz;
  }
  snapshot.objects_[snapshot.count_++] = object;
  return 0;
}

bool Snapshot::find(std::uint64_t address, Object& object) const {
  for (std::size_t i = 0; i < count_; ++i) {
    if (address < objects_[i].start || address >= objects_[i].end) continue;
    object = objects_[i];
    return true;
  }
  return false;
}

namespace objects {

void initialise() {
  if (loader_find.load(std::memory_order_acquire) != nullptr) return;
  const ssize_t length = readlink("/proc/self/exe", main_path, sizeof(main_path) - 1);
  main_path[length < 0 ? 0 : length] = '\0';
  loader_find.store(reinterpret_cast<FindObject>(dlsym(RTLD_DEFAULT, "_dl_find_object")),
                    std::memory_order_release);
}

bool need_snapshot() {
  return loader_find.load(std::memory_order_relaxed) == nullptr;
}

bool find(std::uint64_t address, const Snapshot& snapshot, Object& object) {
  const FindObject find_object = loader_find.load(std::memory_order_acquire);
  if (find_object == nullptr) return snapshot.find(address, object);
  dl_find_object found;
  if (find_object(reinterpret_cast<void*>(address), &found) != 0) return false;
  const link_map* map = found.dlfo_link_map;
  object = {map->l_addr, reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
            reinterpret_cast<std::uint64_t>(found.dlfo_map_end), map->l_ld, map->l_name};
  return true;
}

}  // namespace objects

}  // namespace rdmafault
