// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles: frozen lists of what must pass, as files (fixtures/profiles/NAME-VERSION.json). A profile holds
// clauses, rulings and tests. A certificate names the profile of its run and the hash of that profile.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace conformance {

struct Profile {
  std::string name;
  unsigned version = 0;
  std::string document;  // the file's bytes
  std::string sha256;    // of the document
  std::string rulings_sha256;
  std::map<std::string, std::set<std::string>> tests;  // test to providers on which it must pass
  std::set<std::string> clauses;

  [[nodiscard]] std::string id() const;  // "listen/1"
  // The tests that must pass on a provider, sorted.
  [[nodiscard]] std::vector<std::string> tests_on(std::string_view provider) const;
};

// Throws DocumentError (report/document.h) where `document` is not a profile.
Profile parse_profile(const std::string& document);

// Every profile of a folder, sorted by name and version. Throws SetupError if one cannot be read or does not
// match its hash in SHA256SUMS: certificates name a profile by its hash.
std::vector<Profile> profiles_in(const std::filesystem::path& folder);

// The profile "listen/1", or the newest version of "listen". Throws SetupError if it does not exist.
Profile find_profile(const std::vector<Profile>& profiles, const std::string& id);

// The hash of the current rulings, to compare with Profile::rulings_sha256.
std::string hash_of_rulings();

}  // namespace conformance
