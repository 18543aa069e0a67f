// SPDX-License-Identifier: BSD-3-Clause
//
// `verify`: is a bundle genuine, and what does it certify?
#include <fmt/format.h>

#include "conformance/bundle/bundle.h"
#include "conformance/catalogue/profile.h"
#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

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

Json as_document(const Verification& result) {
  Json checks = Json::array();
  for (const Check& check : result.checks)
    checks.push_back({{"what", check.what},
                      {"made", check.was_made},
                      {"passed", check.was_made && check.wrong.empty()},
                      {"wrong", check.wrong},
                      {"note", check.note}});
  Json document = {{"schema", "rpma-conformance-verify/1"},
                   {"genuine", result.is_genuine()},
                   {"signer", result.signer},
                   {"checks", checks},
                   {"objections", result.objections},
                   {"exit_code", result.exit_code()}};
  if (result.run) document["report"] = to_json(*result.run);
  return document;
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
    // It replaces this suite's profile of the same name.
    std::erase_if(trust.profiles, [&demanded](const Profile& one) { return one.id() == demanded->id(); });
    trust.profiles.push_back(*demanded);
  }
  // One byte more than the limit, so that verify() refuses what is too large.
  Verification result = verify(
      read_file(what.file,
                {"bundle", "", "name one that 'rpma-conformance bundle' made", trust.limits.archive + 1}),
      trust);
  if (demanded && result.run)
    if (const std::string id = result.run->profile.id(); id != demanded->id())
      result.objections.push_back(
          fmt::format("it was measured against {}, not against {} (--profile)", id, demanded->id()));
  if (wants_json())
    print_document(as_document(result));
  else
    fmt::print("{}", painted(result.text()));
  return result.exit_code();
}

}  // namespace conformance
