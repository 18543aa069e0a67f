// SPDX-License-Identifier: BSD-3-Clause
//
// Another module that allocates, to tell callers apart. Built twice: with a SONAME and without one.
#include <cstdlib>

extern "C" [[gnu::visibility("default")]] void* call_malloc_from_here(std::size_t size) {
  void* volatile block = std::malloc(size);  // no tail call: the return address must lie in this module
  return block;
}
