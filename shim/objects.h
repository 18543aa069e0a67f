// SPDX-License-Identifier: BSD-3-Clause
//
// Finds the loaded object (program or shared library) at an address, and its names, without locks,
// allocations or symbol lookups.
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
  const char* name;           // the loader's name for it; "" for the program

  bool is_main() const { return name[0] == '\0'; }
  std::string_view soname() const;  // "main", DT_SONAME, or the last part of the path
  std::string_view path() const;    // of the file; for the program, of /proc/self/exe
};

// The result of dl_iterate_phdr(), for a libc without _dl_find_object(). Objects that are loaded later are
// missing.
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

// Look up _dl_find_object() and the program's path. May be called again.
void initialise();

// Whether snapshots are needed.
bool need_snapshot();

// The object at `address`. `snapshot` is used if libc lacks _dl_find_object().
bool find(std::uint64_t address, const Snapshot& snapshot, Object& object);

}  // namespace objects

}  // namespace rdmafault

#endif  // SHIM_OBJECTS_H
