// SPDX-License-Identifier: BSD-3-Clause
//
// `baseline REPORT -o FILE`: makes or updates a baseline.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "conformance/bundle/bundle.h"
#include "conformance/catalogue/profile.h"
#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/half_file.h"
#include "conformance/report/report.h"
#include "conformance/tool/baseline.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

// Kept from the old file: the notes, which people write, and the providers.
struct Old {
  // By clause, module, verdict and signature; the last is empty in baselines of former suites.
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::string> notes;
  std::vector<std::string> providers;

  [[nodiscard]] std::string note_on(const Finding& finding) const {
    const std::string verdict(name_of(finding.verdict));
    for (const std::string& signature : {finding.signature, std::string()})
      if (const auto note = notes.find({finding.clause, finding.module, verdict, signature});
          note != notes.end())
        return note->second;
    return {};
  }
};

Old read_old(const std::filesystem::path& file, const std::string& provider) {
  Old old{{}, {provider}};
  if (is_absent(file)) return old;
  const Json json = read_document(
      file, {.what = "baseline", .schema = kBaselineSchema, .hint = "name another file with -o"});
  for (const Json& finding : json.at("findings"))
    old.notes[{finding.at("clause"), finding.at("module"), finding.at("verdict"),
               finding.value("signature", "")}] = finding.value("note", "");
  json.at("providers").get_to(old.providers);
  if (std::ranges::find(old.providers, provider) == old.providers.end())
    throw SetupError(fmt::format("{} is a baseline for other providers than {}; name another file with -o",
                                 file.string(), provider));
  return old;
}

// "Debian GNU/Linux 12 (bookworm): librpma0 1.2.0-1, librdmacm1 44.0-2"
std::string stack_in_words(const Stack& stack) {
  std::string text = stack.distribution;
  for (const StackModule& module : stack.modules)
    if (module.role == "iut" || module.role == "rdmacm" || module.role == "ibverbs")
      if (!module.package.empty()) text += (text == stack.distribution ? ": " : ", ") + module.package;
  return text;
}

// An entry for each finding, with the tests that show it.
Json findings_in(const RunResult& run, const Old& old) {
  Json findings = Json::array();
  for (const Finding& finding : findings_of(run))
    findings.push_back({{"clause", finding.clause},
                        {"module", finding.module},
                        {"verdict", name_of(finding.verdict)},
                        {"signature", finding.signature},
                        {"note", old.note_on(finding)},
                        {"tests", finding.tests}});
  return findings;
}

}  // namespace

int write_baseline(const std::filesystem::path& report, const std::filesystem::path& file) {
  const Recorded recorded = read_sound_report(report, profiles_in(find_parts().profiles));
  const std::vector<std::string> reasons = incomplete_because(recorded.run);
  if (!reasons.empty())
    throw SetupError(fmt::format("{} is not a complete run ({}); make a baseline of a complete run",
                                 report.string(), reasons.front()));
  // Not by the tests' verdicts: a finding that is not waived hides a waived one.
  const auto is_used = [](const Waiver& waiver) { return waiver.state == "used"; };
  if (std::ranges::any_of(recorded.run.waivers, is_used))
    throw SetupError(
        fmt::format("{} has waived findings; make a baseline of a run without --waivers", report.string()));
  const Old old = read_old(file, recorded.run.provider);
  Json clauses = Json::object();
  for (const auto& [id, clause] : by_clause(recorded.run)) clauses[id] = name_of(clause.verdict);
  const Json document = {{"schema", kBaselineSchema},
                         {"stack", stack_in_words(recorded.run.stack)},
                         {"providers", old.providers},
                         {"clauses", clauses},
                         {"findings", findings_in(recorded.run, old)}};
  write_whole(file, document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n", kOtherOutput);
  if (wants_json()) {
    print_document(document);
    return kConforms;
  }
  fmt::print("{}: {} clauses, {} findings; read the difference before you commit it\n", file.string(),
             clauses.size(), document.at("findings").size());
  return kConforms;
}

}  // namespace conformance
