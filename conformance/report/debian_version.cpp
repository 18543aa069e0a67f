// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/debian_version.h"

#include <algorithm>
#include <cctype>
#include <string>

namespace conformance {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// Where a character stands among others: a tilde before the end, the end before letters, these before the
// rest.
int rank(std::string_view text) {
  if (text.empty() || is_digit(text.front())) return 0;
  const auto c = static_cast<unsigned char>(text.front());
  if (c == '~') return -1;
  return std::isalpha(c) != 0 ? c : c + 256;
}

std::strong_ordering compare_numbers(std::string_view& a, std::string_view& b) {
  const auto take = [](std::string_view& text) {
    size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
  };
  const std::string_view first = take(a);
  const std::string_view second = take(b);
  if (first.size() != second.size()) return first.size() <=> second.size();
  return first <=> second;
}

// Of upstream versions, and of revisions: words and numbers in turn.
std::strong_ordering compare_parts(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    while ((!a.empty() && !is_digit(a.front())) || (!b.empty() && !is_digit(b.front()))) {
      if (rank(a) != rank(b)) return rank(a) <=> rank(b);
      a.remove_prefix(1);
      b.remove_prefix(1);
    }
    if (const auto order = compare_numbers(a, b); order != std::strong_ordering::equal) return order;
  }
  return std::strong_ordering::equal;
}

struct Version {
  std::string_view epoch;
  std::string_view upstream;
  std::string_view revision;
};

Version split(std::string_view text) {
  Version version;
  if (const size_t colon = text.find(':'); colon != std::string_view::npos) {
    version.epoch = text.substr(0, colon);
    text.remove_prefix(colon + 1);
  }
  const size_t dash = text.rfind('-');
  version.upstream = text.substr(0, dash);
  if (dash != std::string_view::npos) version.revision = text.substr(dash + 1);
  return version;
}

}  // namespace

std::strong_ordering compare_versions(std::string_view a, std::string_view b) {
  const Version first = split(a);
  const Version second = split(b);
  for (const auto part : {&Version::epoch, &Version::upstream, &Version::revision})
    if (const auto order = compare_parts(first.*part, second.*part); order != std::strong_ordering::equal)
      return order;
  return std::strong_ordering::equal;
}

}  // namespace conformance
