// SPDX-License-Identifier: BSD-3-Clause
//
// A second module that allocates and opens files, as another caller. Built twice: with a SONAME and without.
#include <cstdio>
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] void* call_malloc_from_here(std::size_t size) {
  void* volatile block = std::malloc(size);  // no tail call: the return address must be in this module
  return block;
}

extern "C" [[gnu::visibility("default")]] FILE* call_fopen_from_here(const char* path) {
  FILE* volatile file = std::fopen(path, "re");
  return file;
}
