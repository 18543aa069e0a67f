// SPDX-License-Identifier: BSD-3-Clause
//
// `diff OLD NEW`: the regression gate between two runs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "conformance/bundle/bundle.h"
#include "conformance/catalogue/profile.h"
#include "conformance/harness/library.h"
#include "conformance/report/compare.h"
#include "conformance/report/plain.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"

namespace conformance {
namespace {

std::string file_of(const StackModule& module) {
  return std::filesystem::path(module.path).filename();
}

// The clauses and findings above the points say the same: a few points are enough.
void add_changes(const std::vector<Change>& changes, bool all, Lines& text) {
  constexpr size_t kPointsShown = 20;
  size_t points = 0;
  for (const Change& change : changes) {
    if (change.what.starts_with("point ") && ++points > kPointsShown && !all) continue;
    text.line("{}{}: {}", change.regression ? "REGRESSION, " : "", name_of(change.kind), change.what);
  }
  if (points > kPointsShown && !all)
    text.line("... and {} more points; --all shows them", points - kPointsShown);
}

// Differences of the set-up: they may explain changes, and are not changes themselves.
void add_notes(const RunResult& before, const RunResult& after, Lines& text) {
  if (before.profile.sha256 != after.profile.sha256)
    text.line("note: measured against {}/{} and {}/{}", before.profile.name, before.profile.version,
              after.profile.name, after.profile.version);
  if (before.suite_commit != after.suite_commit)
    text.line("note: judged by suite {} and {}", before.suite_commit, after.suite_commit);
  if (before.seed != after.seed || before.chose_all != after.chose_all)
    text.line("note: other pairs of faults (seeds {} and {})", before.seed, after.seed);
  for (const StackModule& module : after.stack.modules) {
    const auto same = std::ranges::find_if(before.stack.modules, [&module](const StackModule& other) {
      return other.role == module.role && (module.role == "iut" || file_of(other) == file_of(module));
    });
    if (same != before.stack.modules.end() && same->sha256 != module.sha256)
      text.line("stack: {} was {}, is {}", module.role,
                same->package.empty() ? same->build_id : same->package,
                module.package.empty() ? module.build_id : module.package);
  }
  if (before.stack.kernel != after.stack.kernel)
    text.line("stack: kernel was {}, is {}", before.stack.kernel, after.stack.kernel);
}

nlohmann::ordered_json as_document(const Lines& notes, const std::vector<Change>& changes,
                                   const std::vector<std::string>& missing, int code) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Change& change : changes)
    list.push_back(
        {{"kind", name_of(change.kind)}, {"what", change.what}, {"regression", change.regression}});
  nlohmann::ordered_json lines = nlohmann::ordered_json::array();
  std::istringstream text(notes.text());
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return {{"schema", "rpma-conformance-diff/1"},
          {"notes", lines},
          {"changes", list},
          {"no_verdict", missing},
          {"exit_code", code}};
}

}  // namespace

int diff(const std::filesystem::path& old_folder, const std::filesystem::path& new_folder, bool all) {
  const std::vector<Profile> profiles = profiles_in(find_parts().profiles);
  const Recorded before = read_sound_report(old_folder, profiles);
  const Recorded after = read_sound_report(new_folder, profiles);
  if (before.run.provider != after.run.provider)
    throw SetupError(fmt::format("{} is a run on {}, {} one on {}: only runs on one provider can be compared",
                                 old_folder.string(), before.run.provider, new_folder.string(),
                                 after.run.provider));
  Lines notes;
  Lines text;
  add_notes(before.run, after.run, notes);
  const std::vector<Change> changes = compare(before, after);
  add_changes(changes, all, text);
  const std::vector<std::string> missing = tests_not_concluded(before.run, after.run);
  for (const std::string& test : missing) text.line("no verdict now: {}", test);

  const auto regressions = std::ranges::count_if(changes, &Change::regression);
  int code = kConforms;
  if (regressions > 0)
    code = kFinding;
  else if (!missing.empty() || after.run.tests.empty() || !after.run.interrupted.empty())
    code = kIncomplete;
  if (wants_json()) {
    print_document(as_document(notes, changes, missing, code));
    return code;
  }
  text.line("{} regressions, {} other changes{}, exit code {}", regressions,
            changes.size() - static_cast<size_t>(regressions),
            missing.empty() ? "" : fmt::format(", {} tests of OLD without a verdict in NEW", missing.size()),
            code);
  fmt::print("{}{}", is_quiet() ? "" : notes.text(), text.text());
  return code;
}

}  // namespace conformance
