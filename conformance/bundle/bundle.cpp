// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/bundle/bundle.h"

#include <fmt/format.h>

#include "conformance/bundle/consistency.h"
#include "conformance/bundle/dsse.h"
#include "conformance/bundle/statement.h"
#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/report.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The published profile that the report names.
std::string profile_of(const std::string& report, const std::vector<Profile>& profiles) {
  const Json named = parse_document(report).at("profile");
  return find_profile(profiles, fmt::format("{}/{}", named.at("name").get<std::string>(),
                                            named.at("version").get<unsigned>()))
      .document;
}

[[noreturn]] void refuse_report(const fs::path& folder, const std::string& why) {
  throw SetupError(as_one_line(fmt::format("{} is not a consistent report: {}", folder.string(), why)));
}

// Throws SetupError where the files contradict each other.
Content need_consistent(const fs::path& folder, const Members& files, const std::vector<Profile>& profiles) {
  Check documents{"documents"};
  std::optional<Content> content = read_content(files, documents);
  if (!content) refuse_report(folder, documents.wrong.empty() ? "unreadable" : documents.wrong.front());
  bool unknown = false;
  std::vector<Check> checks = check_content(*content, files);
  checks.push_back(check_profile(*content, profiles, unknown));
  for (const Check& check : checks)
    if (!check.wrong.empty()) refuse_report(folder, fmt::format("{}: {}", check.what, check.wrong.front()));
  return std::move(*content);
}

}  // namespace

Members collect_report(const fs::path& folder, const std::vector<Profile>& profiles) {
  const Limits limits;
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw SetupError(
        fmt::format("{} is not a report folder; name the report folder of a run", folder.string()));
  Members files;
  for (const MemberName& file : kReportFiles) {
    const fs::path path = folder / file.name;
    if (file.name == kProfile || is_absent(path)) continue;  // the published one is used
    files.emplace(file.name, read_file(path, {.what = "file of a report",
                                              .schema = "",
                                              .hint = "name an unchanged report folder",
                                              .most_bytes = limits.member,
                                              .links = false}));
  }
  if (!files.contains("report.json"))
    refuse_report(
        folder,
        files.contains("results.jsonl")
            ? fmt::format("the run is not finished; continue it with 'rpma-conformance run --resume {}'",
                          folder.string())
            : "report.json is missing");
  try {
    files[std::string(kProfile)] = profile_of(files.at("report.json"), profiles);
  } catch (const SetupError& unknown) {
    refuse_report(folder, unknown.what());
  } catch (const std::exception&) {
    refuse_report(folder, "report.json is not of schema rpma-conformance/1");
  }
  return files;
}

Recorded read_sound_report(const fs::path& folder, const std::vector<Profile>& profiles) {
  if (is_absent(folder / "report.json")) return read_recorded(folder);  // throws
  const Members files = collect_report(folder, profiles);
  Content content = need_consistent(folder, files, profiles);
  return {folder, std::move(content.run), std::move(content.points)};
}

Members make_members(Members files, const RunResult& run, const Packer& packed_by, const PrivateKey* key) {
  files[kManifest] = manifest_of(run, files, packed_by);
  std::string statement = statement_of(run, files);
  if (key != nullptr) files[kEnvelope] = seal(kInTotoPayload, statement, *key).text();
  files[kStatement] = std::move(statement);
  files[kSums] = sums_of(files);
  return files;
}

std::string make_bundle(const fs::path& folder, const std::vector<Profile>& profiles, const PrivateKey* key) {
  const Limits limits;
  Members files = collect_report(folder, profiles);
  const RunResult run = need_consistent(folder, files, profiles).run;
  const std::string tar = pack_tar(make_members(std::move(files), run, packer(), key));
  std::string archive = compress(tar);
  if (tar.size() > limits.tar || archive.size() > limits.archive)
    refuse_report(folder, fmt::format("larger than {} MiB", limits.tar >> 20));
  return archive;
}

}  // namespace conformance
