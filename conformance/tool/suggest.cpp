// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

namespace conformance {
namespace {

constexpr size_t kLongestWord = 200;  // a longer one is not a mistyped name
constexpr size_t kMostEdits = 4;

// Insertions, deletions, replacements and swaps of neighbours that make one word the other. Upper and lower
// case are the same.
size_t edits_between(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<size_t> before(b.size() + 1);
  std::vector<size_t> last(b.size() + 1);
  std::vector<size_t> now(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0U : 1U)});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(now);
  }
  return last[b.size()];
}

}  // namespace

std::string did_you_mean(std::string_view word, const std::vector<std::string>& names) {
  if (word.size() > kLongestWord) return "";
  size_t fewest = std::clamp<size_t>(word.size() / 3, 1, kMostEdits) + 1;
  const std::string* closest = nullptr;
  for (const std::string& name : names) {
    if (std::max(name.size(), word.size()) - std::min(name.size(), word.size()) >= fewest) continue;
    if (const size_t edits = edits_between(word, name); edits < fewest) {
      fewest = edits;
      closest = &name;
    }
  }
  return closest == nullptr ? "" : fmt::format("; did you mean {}?", *closest);
}

}  // namespace conformance
