// SPDX-License-Identifier: BSD-3-Clause
//
// Evidence bundles: packing a report for another party, and verifying it there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/bundle/archive.h"
#include "conformance/bundle/content.h"
#include "conformance/bundle/keys.h"

namespace conformance {

// The files of a report folder that belong in a bundle, with the profile that it names. Throws SetupError
// with one clear line for an unfinished run and for links and devices.
Members collect_report(const std::filesystem::path& folder, const std::vector<Profile>& profiles);

// The run of a report folder whose files are valid and consistent, as in a bundle. Throws SetupError with one
// clear line.
Recorded read_sound_report(const std::filesystem::path& folder, const std::vector<Profile>& profiles);

// All members of a bundle. `key`: null: not signed.
Members make_members(Members files, const RunResult& run, const Packer& packed_by, const PrivateKey* key);

// The bundle of a report folder: the same folder (and key) gives the same bytes.
std::string make_bundle(const std::filesystem::path& folder, const std::vector<Profile>& profiles,
                        const PrivateKey* key);

struct Trust {
  const PublicKey* key = nullptr;  // null: any signer
  std::vector<Profile> profiles;   // known here
  Limits limits = {};
};

// The result of verifying a bundle.
struct Verification {
  std::vector<Check> checks;
  std::optional<RunResult> run;         // of a genuine bundle
  std::vector<std::string> objections;  // why a genuine bundle is not a certificate
  std::string made_by;                  // commit of the suite, by the manifest
  std::string signer;                   // id of the key that verifies it; empty: unknown

  [[nodiscard]] bool is_genuine() const;
  [[nodiscard]] int exit_code() const;  // DESIGN section 2
  [[nodiscard]] std::string text() const;
};

// Trusts nothing in `archive` and throws for no content of it. Throws SetupError where this machine lacks a
// program.
Verification verify(std::string_view archive, const Trust& trust);

}  // namespace conformance
