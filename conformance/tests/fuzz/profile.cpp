// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles (parse_profile). May throw DocumentError alone, with one short line. What is accepted is kept byte
// by byte; what it wants on a provider is among what it wants, sorted and without repetition.
#include <algorithm>

#include "conformance/catalogue/profile.h"
#include "conformance/report/document.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(text_of(data, size));
  Profile profile;
  try {
    profile = parse_profile(bytes);
  } catch (const DocumentError& error) {
    must_be_one_line(error.what());
    return 0;
  }
  must(profile.document == bytes, "a profile is kept byte by byte");
  must(profile.sha256.size() == 64 && profile.rulings_sha256.size() == 64, "a profile has its hashes");
  for (const char* provider : {"mock", "rxe", "hw"}) {
    const std::vector<std::string> tests = profile.tests_on(provider);
    must(std::ranges::is_sorted(tests) && std::ranges::adjacent_find(tests) == tests.end(),
         "the tests are sorted and there once");
    for (const std::string& test : tests) must(profile.tests.contains(test), "a test is one of the profile");
  }
  return 0;
}
