// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the loaded object (program or shared library) that an address belongs to, without locks, allocations
// or symbol lookups, and reads its names.
#ifndef SHIM_OBJECTS_H
#define SHIM_OBJECTS_H

#include <link.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rdmafault {

struct Object {
  std::uint64_t base;   // load address
  std::uint64_t start;  // mapped range, [start, end)
  std::uint64_t end;
  const ElfW(Dyn) * dynamic;  // may be nullptr
  const char* name;           // as the loader knows it; "" for the program itself

  bool is_main() const { return name[0] == '\0'; }
  std::string_view soname() const;  // "main", DT_SONAME, or the path's last part
  std::string_view path() const;    // of the file; for the program what /proc/self/exe says
};

// What dl_iterate_phdr() found, for a libc without _dl_find_object(): objects loaded later are not known.
class Snapshot {
 public:
  void take();
  bool find(std::uint64_t address, Object& object) const;

 private:
  static int add(dl_phdr_info* info, std::size_t size, void* self);

  static constexpr std::size_t kMost = 256;
  std::size_t count_ = 0;
  Object objects_[kMost] = {};
};

namespace objects {

// Looks _dl_find_object() and the program's path up; again is harmless.
void initialise();

// Whether snapshots are needed.
bool need_snapshot();

// The object that `address` lies in. `snapshot` is asked where the loader cannot be.
bool find(std::uint64_t address, const Snapshot& snapshot, Object& object);

}  // namespace objects

}  // namespace rdmafault

#endif  // SHIM_OBJECTS_H
