// SPDX-License-Identifier: BSD-3-Clause
//
// Evidence bundles: a report packed so that another party can check it, and that check.
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

// The files of a report folder that belong into a bundle, with the profile that it names. Throws SetupError
// with one clear line: a run that was not finished, links and devices in the place of files, a report that
// contradicts itself.
Members collect_report(const std::filesystem::path& folder, const std::vector<Profile>& profiles);

// The run that a report folder tells of, where its files are of their schemas and tell one story: what a tool
// compares or gates must not be less than what it bundles. Throws SetupError with one clear line.
Recorded read_sound_report(const std::filesystem::path& folder, const std::vector<Profile>& profiles);

// All members of a bundle. `key`: null where nobody signs.
Members make_members(Members files, const RunResult& run, const Packer& packed_by, const PrivateKey* key);

// The bundle of a report folder: the same folder (and key) gives the same bytes.
std::string make_bundle(const std::filesystem::path& folder, const std::vector<Profile>& profiles,
                        const PrivateKey* key);

struct Trust {
  const PublicKey* key = nullptr;  // null: whoever signed
  std::vector<Profile> profiles;   // that are known here
  Limits limits = {};
};

// What became of a bundle.
struct Verification {
  std::vector<Check> checks;
  std::optional<RunResult> run;         // where the bundle is what it should be
  std::vector<std::string> objections;  // against taking it for a certificate, though it is genuine
  std::string made_by;                  // commit of the suite that it names
  std::string signer;                   // id of the key that it was verified with; empty: unknown

  [[nodiscard]] bool is_genuine() const;
  [[nodiscard]] int exit_code() const;  // DESIGN section 2
  [[nodiscard]] std::string text() const;
};

// Trusts nothing that it reads. Does not throw for anything that `archive` may be.
Verification verify(std::string_view archive, const Trust& trust);

}  // namespace conformance
