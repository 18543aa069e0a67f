// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/catalogue/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <fstream>
#include <tuple>

#include "conformance/catalogue/rulings.h"
#include "conformance/harness/library.h"
#include "conformance/report/digest.h"
#include "conformance/report/document.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "rpma-conformance-profile/1";
constexpr Expected kProfile = {.what = "profile", .hint = "install the suite again"};

// File name to hash, as sha256sum writes it.
std::map<std::string, std::string> sums_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> sums;
  std::ifstream file(folder / "SHA256SUMS");
  for (std::string sum, name; file >> sum >> name;) sums[name] = sum;
  return sums;
}

}  // namespace

std::string Profile::id() const {
  return fmt::format("{}/{}", name, version);
}

std::vector<std::string> Profile::tests_on(std::string_view provider) const {
  std::vector<std::string> ids;
  for (const auto& [id, providers] : tests)
    if (providers.contains(std::string(provider))) ids.push_back(id);
  return ids;
}

Profile parse_profile(const std::string& document) {
  const Json json = parse_document(document, kSchema);
  const Node node(json);
  Profile profile;
  profile.name = node.at("name").text();
  profile.version = static_cast<unsigned>(node.at("version").count(UINT_MAX));
  profile.document = document;
  profile.sha256 = sha256(document);
  profile.rulings_sha256 = sha256(node.at("rulings").json().dump());
  for (const Node& clause : node.at("clauses").items())
    if (!profile.clauses.insert(clause.at("id").text()).second) clause.refuse("is there twice");
  for (const Node& test : node.at("tests").items()) {
    const std::vector<std::string> providers = test.at("providers").texts();
    if (!profile.tests.emplace(test.at("id").text(), std::set(providers.begin(), providers.end())).second)
      test.refuse("is there twice");
  }
  return profile;
}

std::vector<Profile> profiles_in(const std::filesystem::path& folder) {
  std::map<std::string, std::string> sums = sums_in(folder);
  std::vector<Profile> profiles;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename();
    if (!name.ends_with(".json")) continue;
    try {
      profiles.push_back(parse_profile(read_file(entry.path(), kProfile)));
    } catch (const DocumentError& why) {
      refuse_document(entry.path(), kProfile, why.what());
    }
    const Profile& profile = profiles.back();
    if (name != fmt::format("{}-{}.json", profile.name, profile.version) || sums[name] != profile.sha256)
      throw SetupError(fmt::format(
          "{} is not the profile that was frozen (SHA256SUMS beside it); what is new goes into a new version",
          entry.path().string()));
    sums.erase(name);
  }
  if (!sums.empty() || profiles.empty())
    throw SetupError(fmt::format("{} lacks the profile {}; install the suite again", folder.string(),
                                 sums.empty() ? "listen" : sums.begin()->first));
  std::ranges::sort(profiles, {}, [](const Profile& one) { return std::tie(one.name, one.version); });
  return profiles;
}

Profile find_profile(const std::vector<Profile>& profiles, const std::string& id) {
  const Profile* found = nullptr;
  std::vector<std::string> ids;
  for (const Profile& profile : profiles) {
    ids.push_back(profile.id());
    if (profile.id() == id || profile.name == id) found = &profile;  // the newest comes last
  }
  if (found == nullptr)
    throw SetupError(fmt::format("there is no profile '{}'; there are {}", id, fmt::join(ids, ", ")));
  return *found;
}

std::string hash_of_rulings() {
  Json all = Json::array();
  for (const Ruling& ruling : rulings()) all.push_back({{"number", ruling.number}, {"text", ruling.text}});
  return sha256(all.dump());
}

}  // namespace conformance
