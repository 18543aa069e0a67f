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

Profile read_profile(const std::filesystem::path& file) {
  try {
    return parse_profile(read_file(file, {"profile", "", "name one with --profile FILE", kMostOfProfile}));
  } catch (const SetupError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw SetupError(fmt::format("{} {}", file.string(), error.what()));
  }
}

}  // namespace

int verify_bundle(const VerifyOptions& what) {
  std::optional<PublicKey> key;
  if (!what.public_key.empty()) key.emplace(PublicKey::read(what.public_key));
  Trust trust;
  trust.key = key ? &*key : nullptr;
  trust.profiles = profiles_in(find_parts().profiles);
  std::optional<Profile> demanded;
  if (!what.profile.empty()) {
    demanded = read_profile(what.profile);
    // It is the one that is known by that name, whatever this suite has.
    std::erase_if(trust.profiles, [&demanded](const Profile& one) { return one.id() == demanded->id(); });
    trust.profiles.push_back(*demanded);
  }
  // One byte more than a bundle may have, so that it is the bundle that is refused.
  Verification result = verify(
      read_file(what.file,
                {"bundle", "", "name one that 'rpma-conformance bundle' made", trust.limits.archive + 1}),
      trust);
  if (demanded && result.run)
    if (const std::string id = result.run->profile.id(); id != demanded->id())
      result.objections.push_back(
          fmt::format("it was measured against {}, not against {} (--profile)", id, demanded->id()));
  fmt::print("{}", result.text());
  return result.exit_code();
}

}  // namespace conformance
