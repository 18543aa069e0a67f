// SPDX-License-Identifier: BSD-3-Clause
//
// The tar in a bundle (unpack_tar). May throw BadArchive alone, with one short line. What is accepted holds
// files with names that a bundle has, within the limits, and packs to the same bytes again.
#include <algorithm>

#include "conformance/bundle/archive.h"
#include "conformance/bundle/statement.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view tar = text_of(data, size);
  const auto names = member_names();
  constexpr Limits kLimits{.archive = 1 << 20, .member = 4096, .tar = 1 << 20};
  Members members;
  try {
    members = unpack_tar(tar, names, kLimits);
  } catch (const BadArchive& error) {
    must_be_one_line(error.what());
    return 0;
  }
  for (const auto& [name, content] : members) {
    must(std::ranges::find(names, name) != names.end(), "a member has a name that a bundle has");
    must(content.size() <= kLimits.member, "a member is within the limits");
  }
  must(pack_tar(members) == tar, "a tar is packed in one way only");
  return 0;
}
