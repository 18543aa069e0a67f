// SPDX-License-Identifier: BSD-3-Clause
//
// Looks up names in the function table, and suggests similar ones.
#include "shim/names.h"

#include <algorithm>
#include <cstdint>

#include "shim/functions.h"

namespace rdmafault {
namespace {

// The number of characters to insert, delete or replace to turn `a` into `b` (Levenshtein's distance),
// computed row by row; SIZE_MAX if a name is too long to be meant.
std::size_t distance(std::string_view a, std::string_view b) {
  constexpr std::size_t kLongest = 63;
  if (a.size() > kLongest || b.size() > kLongest) return SIZE_MAX;
  std::size_t row[kLongest + 1] = {};
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::size_t find_function(std::string_view name) {
  if (name == row_for_rule(RDMAFAULT_ANY_ALLOCATOR)->name) return RDMAFAULT_ANY_ALLOCATOR;
  for (std::size_t i = 0; i < kRowCount; ++i) {
    if (name == row_of(i).name) return i;
  }
  return RDMAFAULT_NONE;
}

void suggest_function(Line& line, std::string_view name) {
  std::size_t nearest = RDMAFAULT_ANY_ALLOCATOR;
  std::size_t least = distance(name, row_for_rule(nearest)->name);
  for (std::size_t i = 0; i < kRowCount; ++i) {
    const std::size_t d = distance(name, row_of(i).name);
    if (d < least) {
      least = d;
      nearest = i;
    }
  }
  constexpr std::size_t kSlips = 3;  // at most a third of the name may be wrong, and at most this many
  if (least <= std::min(kSlips, name.size() / 3)) {
    line << "did you mean " << row_for_rule(nearest)->name << "?";
    return;
  }
  // There are too many system calls to list.
  line << "one of ";
  for (std::size_t i = 0; i < kFunctionCount; ++i) {
    if (can_fail(row_of(i))) line << row_of(i).name << ", ";
  }
  line << row_for_rule(RDMAFAULT_ANY_ALLOCATOR)->name << ", or a system call";
}

const rdmafault_name* find_name(const rdmafault_name* names, std::string_view name) {
  for (; names != nullptr && names->name != nullptr; ++names) {
    if (name == names->name) return names;
  }
  return nullptr;
}

const rdmafault_name* find_value(const rdmafault_name* names, int value) {
  for (; names != nullptr && names->name != nullptr; ++names) {
    if (value == names->value) return names;
  }
  return nullptr;
}

void list_names(Line& line, const rdmafault_name* names) {
  std::string_view separator;
  for (; names != nullptr && names->name != nullptr; ++names) {
    line << separator << names->name;
    separator = ", ";
  }
}

}  // namespace rdmafault
