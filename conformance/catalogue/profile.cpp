// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/catalogue/profile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <tuple>

#include "conformance/catalogue/rulings.h"
#include "conformance/harness/library.h"
#include "conformance/report/digest.h"
#include "conformance/report/document.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;
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
  const Json json = parse_document(document, kProfileSchema);
  const auto need_new = [](bool is_new, const char* list, const std::string& id) {
    if (!is_new) throw DocumentError(as_one_line(fmt::format("/{}: '{}' is there twice", list, id)));
  };
  Profile profile;
  profile.name = json.at("name");
  profile.version = json.at("version");
  profile.document = document;
  profile.sha256 = sha256(document);
  profile.rulings_sha256 = sha256(json.at("rulings").dump());
  for (const Json& clause : json.at("clauses"))
    need_new(profile.clauses.insert(clause.at("id").get<std::string>()).second, "clauses", clause.at("id"));
  for (const Json& test : json.at("tests"))
    need_new(profile.tests
                 .emplace(test.at("id").get<std::string>(), test.at("providers").get<std::set<std::string>>())
                 .second,
             "tests", test.at("id"));
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
      throw SetupError(
          fmt::format("{} is not the published profile (SHA256SUMS beside it); changes go into a new version",
                      entry.path().string()));
    sums.erase(name);
  }
  if (!sums.empty() || profiles.empty())
    throw SetupError(fmt::format("no profile {1} in {0}; install the suite again", folder.string(),
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
