// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "conformance/bundle/bundle.h"
#include "conformance/bundle/consistency.h"
#include "conformance/bundle/dsse.h"
#include "conformance/bundle/statement.h"
#include "conformance/report/digest.h"
#include "conformance/report/document.h"
#include "conformance/report/plain.h"
#include "conformance/report/report.h"
#include "conformance/version.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

// Verifies a bundle step by step. Each step adds a check. The verification ends where the next step cannot be
// made.
class Verifier {
 public:
  Verifier(const Trust& trust, Verification& result) : trust_(trust), result_(result) {}

  void run(std::string_view archive) {
    if (!unpack(archive)) return;
    check_sums();
    check_signature();
    Check documents{"documents"};
    const std::optional<Content> content = read_content(files_, documents);
    result_.checks.push_back(documents);
    if (!content) return;
    check_manifest(content->run);
    check_statement(content->run);
    bool unknown = false;
    result_.checks.push_back(check_profile(*content, trust_.profiles, unknown));
    for (Check& check : check_content(*content, files_)) result_.checks.push_back(std::move(check));
    if (unknown) result_.objections.push_back(fmt::format("unknown profile {}", content->profile.id()));
    if (!content->report.at("certifiable").at("value").get<bool>() &&
        uncertifiable_because(content->run).empty())
      result_.objections.emplace_back("not certifiable by its own report");
    result_.run = content->run;
  }

 private:
  Check& add(const std::string& what) { return result_.checks.emplace_back(Check{what}); }

  bool unpack(std::string_view archive) {
    Check& check = add("container");
    try {
      const std::string tar = decompress(archive, trust_.limits);
      const auto names = member_names();
      members_ = unpack_tar(tar, names, trust_.limits);
      for (const MemberName& file : kReportFiles)
        if (const auto found = members_.find(std::string(file.name)); found != members_.end())
          files_.insert(*found);
      for (const char* name : {kManifest, kStatement, kSums})
        if (!members_.contains(name)) throw BadArchive(fmt::format("{} is missing", name));
      check.note = fmt::format("{} files, {} bytes", members_.size(), archive.size());
      compare_compression(archive, tar, check);
    } catch (const BadArchive& error) {
      check.wrong.emplace_back(error.what());
    }
    return check.wrong.empty();
  }

  // The tar was compared already; the compressed bytes depend on the version of zstd.
  void compare_compression(std::string_view archive, const std::string& tar, Check& check) {
    try {
      packed_by_ = packer_in(members_.at(kManifest));
      result_.made_by = parse_document(members_.at(kManifest)).at("suite").at("commit");
    } catch (const std::exception&) {
      throw BadArchive("manifest.json does not name its packer");
    }
    const std::string here = packer().libzstd;
    if (packed_by_.libzstd != here)
      check.note += fmt::format("; compressed by libzstd {}, this is {}: only the content was compared",
                                packed_by_.libzstd, here);
    else if (compress(tar) != archive)
      throw BadArchive("its compressed data is not what this suite makes of the content");
  }

  void check_sums() {
    Check& check = add(kSums);
    Members others = members_;
    others.erase(kSums);
    if (members_.at(kSums) == sums_of(others)) return;
    for (const auto& [name, content] : others)
      if (members_.at(kSums).find(fmt::format("{}  {}\n", sha256(content), name)) == std::string::npos)
        check.wrong.push_back(fmt::format("{} has another hash", name));
    if (check.wrong.empty()) check.wrong.emplace_back("it does not list the files of this bundle");
  }

  void check_signature() {
    Check& check = add("signature");
    const auto file = members_.find(kEnvelope);
    if (file == members_.end()) {
      check.note = "none";
      if (trust_.key != nullptr) check.wrong.emplace_back("the bundle is not signed");
      return;
    }
    try {
      const Envelope envelope = open_envelope(file->second);
      if (envelope.type != kInTotoPayload || envelope.payload != members_.at(kStatement))
        throw std::runtime_error("it does not sign statement.json");
      if (trust_.key == nullptr) {
        check.note = fmt::format("key {}, signer unknown (pass --public-key)", envelope.key_id.substr(0, 64));
        return;
      }
      if (!envelope.is_signed_by(*trust_.key))
        throw std::runtime_error(envelope.key_id == trust_.key->id()
                                     ? std::string("the signature does not match")
                                     : fmt::format("not signed by the key {}", trust_.key->id()));
      if (envelope.key_id != trust_.key->id()) throw std::runtime_error("it names another key");
      result_.signer = trust_.key->id();
      check.note = fmt::format("key {}", result_.signer);
    } catch (const std::exception& error) {
      check.wrong.push_back(fmt::format("{}: {}", kEnvelope, error.what()));
    }
  }

  void check_manifest(const RunResult& run) {
    Check& check = add("manifest");
    if (const std::string& manifest = members_.at(kManifest);
        manifest != manifest_of(run, files_, packed_by_)) {
      const Json said = parse_document(manifest);
      if (const std::string where = departure(kManifestSchema, said); !where.empty())
        check.wrong.push_back(where);
      add_differences(said, Json::parse(manifest_of(run, files_, packed_by_)), kManifest, check.wrong);
      if (check.wrong.empty()) check.wrong.emplace_back("it is not formatted as by this suite");
    }
    check.note =
        fmt::format("packed by libarchive {}, libzstd {}", packed_by_.libarchive, packed_by_.libzstd);
  }

  void check_statement(const RunResult& run) {
    Check& check = add("statement");
    Members covered = files_;
    covered[kManifest] = members_.at(kManifest);
    const std::string follows = statement_of(run, covered);
    check.note = fmt::format("in-toto test result {}", result_of(run));
    if (members_.at(kStatement) == follows) return;
    try {
      add_differences(parse_document(members_.at(kStatement)), Json::parse(follows), kStatement, check.wrong);
    } catch (const std::runtime_error& error) {
      check.wrong.push_back(fmt::format("{} {}", kStatement, error.what()));
    }
    if (check.wrong.empty()) check.wrong.emplace_back("it is not formatted as by this suite");
  }

  const Trust& trust_;
  Verification& result_;
  Members members_;
  Members files_;  // those of the report
  Packer packed_by_;
};

void add_check(const Check& check, Lines& text) {
  constexpr size_t kShown = 5;
  if (check.wrong.empty())
    return check.note.empty()
               ? text.line("ok      {}", check.what)
               : text.line("{:<7} {:<14} {}", check.was_made ? "ok" : "note", check.what, check.note);
  for (size_t i = 0; i < std::min(kShown, check.wrong.size()); ++i)
    text.line("{:<7} {:<14} {}", i == 0 ? "WRONG" : "", i == 0 ? check.what : "", check.wrong[i]);
  if (check.wrong.size() > kShown) text.line("{:<22} and {} more", "", check.wrong.size() - kShown);
}

void add_findings(const RunResult& run, Lines& text) {
  for (const bool in_subject : {true, false})
    for (const Finding& finding : findings_of(run))
      if (is_about(run.subject, finding.module) == in_subject)
        text.line("{:<13} {} {} by {}: {}", in_subject ? "finding:" : "elsewhere:", name_of(finding.verdict),
                  finding.clause, finding.module, finding.reason);
}

void add_waivers(const RunResult& run, Lines& text) {
  for (const Waiver& waiver : run.waivers)
    text.line("waiver:       {}, until {}, {} ({}): {}", waiver.text(), waiver.expires, waiver.owner,
              waiver.state, waiver.reason);
}

}  // namespace

bool Verification::is_genuine() const {
  return run && std::ranges::all_of(checks, [](const Check& check) { return check.wrong.empty(); });
}

int Verification::exit_code() const {
  if (!is_genuine()) return 4;
  if (is_finding(verdict_on(*run, run->subject).verdict())) return 1;
  return objections.empty() ? 0 : 3;
}

std::string Verification::text() const {
  Lines text;
  for (const Check& check : checks) add_check(check, text);
  if (!is_genuine()) {
    if (!made_by.empty() && made_by != kCommit)
      text.line("made by suite {}, this is {}: verify it with the suite that made it", made_by, kCommit);
    text.line("the bundle is invalid, exit code 4");
    return text.text();
  }
  const Outcome outcome = verdict_on(*run, run->subject);
  text.line("suite:        {} ({})", run->suite_version, run->suite_commit);
  if (run->suite_commit != kCommit) text.line("              verified by {} ({})", kVersion, kCommit);
  text.line("provider:     {}, run at {}", run->provider, run->started);
  if (run->resumed > 0) text.line("resumed:      {} times", run->resumed);
  for (const StackModule& module : run->stack.modules)
    text.line("{:<13} {}  {}  sha256 {}", module.role + ":", module.path,
              module.package.empty() ? "(no package)" : module.package, module.sha256);
  text.line("subject:      {}", run->subject);
  text.line("verdict:      {}{}", name_of(outcome.verdict()),
            outcome.passed() ? "" : fmt::format(" ({})", outcome.reason()));
  add_findings(*run, text);
  add_waivers(*run, text);
  text.line("certifiable:  {}", uncertifiable_because(*run).empty() ? "yes" : "no");
  text.line("signer:       {}", signer.empty() ? "unknown" : signer);
  for (const std::string& objection : objections) text.line("but:          {}", objection);
  text.line("exit code {}", exit_code());
  return text.text();
}

Verification verify(std::string_view archive, const Trust& trust) {
  Verification result;
  try {
    Verifier(trust, result).run(archive);
  } catch (const SetupError&) {
    throw;  // of this machine, not of the bundle
  } catch (const std::exception& error) {
    result.checks.push_back({"content", {error.what()}});
    result.run.reset();
  }
  if (!result.run) return result;
  for (const std::string& reason : uncertifiable_because(*result.run))
    result.objections.push_back(fmt::format("not certifiable: {}", reason));
  const Outcome outcome = verdict_on(*result.run, result.run->subject);
  if (result.objections.empty() && !outcome.passed())
    result.objections.push_back(fmt::format("the verdict is {}", name_of(outcome.verdict())));
  if (trust.key == nullptr)
    result.objections.emplace_back("integrity only, signer unknown (pass --public-key)");
  return result;
}

}  // namespace conformance
