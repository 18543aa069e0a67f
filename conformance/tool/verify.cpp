// SPDX-License-Identifier: BSD-3-Clause
//
// `verify`: is a bundle genuine, and what does it certify?
#include <fmt/format.h>

#include "conformance/bundle/bundle.h"
#include "conformance/catalogue/profile.h"
#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/tool/commands.h"

namespace conformance {
namespace {

constexpr size_t kMostOfProfile = size_t{16} << 20;  // bytes

// The profiles of this suite; in the place of one of them, or beside them, the file that was named.
std::vector<Profile> known_profiles(const std::filesystem::path& file) {
  std::vector<Profile> profiles = profiles_in(find_parts().profiles);
  if (file.empty()) return profiles;
  try {
    Profile named =
        parse_profile(read_file(file, {"profile", "", "name one with --profile FILE", kMostOfProfile}));
    std::erase_if(profiles, [&named](const Profile& one) { return one.id() == named.id(); });
    profiles.push_back(std::move(named));
  } catch (const SetupError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw SetupError(fmt::format("{} {}", file.string(), error.what()));
  }
  return profiles;
}

}  // namespace

int verify_bundle(const VerifyOptions& what) {
  std::optional<PublicKey> key;
  if (!what.public_key.empty()) key.emplace(PublicKey::read(what.public_key));
  Trust trust;
  trust.key = key ? &*key : nullptr;
  trust.profiles = known_profiles(what.profile);
  // One byte more than a bundle may have, so that it is the bundle that is refused.
  const Verification result = verify(
      read_file(what.file,
                {"bundle", "", "name one that 'rpma-conformance bundle' made", trust.limits.archive + 1}),
      trust);
  fmt::print("{}", result.text());
  return result.exit_code();
}

}  // namespace conformance
