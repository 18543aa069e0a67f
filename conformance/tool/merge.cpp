// SPDX-License-Identifier: BSD-3-Clause
//
// `merge SHARD... --report DIR`: the report of a run from the reports of its shards.
#include <fmt/format.h>

#include <map>

#include "conformance/bundle/bundle.h"
#include "conformance/catalogue/profile.h"
#include "conformance/harness/library.h"
#include "conformance/report/document.h"
#include "conformance/report/merge.h"
#include "conformance/report/plain.h"
#include "conformance/report/report.h"
#include "conformance/report/waivers.h"
#include "conformance/tool/baseline.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/gate.h"
#include "conformance/tool/results.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

// Points go test by test, as they do in a run that was never divided.
void add_all(const std::vector<Recorded>& shards, const RunResult& run, ReportFolder& report) {
  std::map<std::string, std::vector<const PointResult*>> points;
  for (const Recorded& shard : shards)
    for (const RecordedPoint& point : shard.points) points[point.test].push_back(&point.result);
  for (const TestResult& test : run.tests) {
    for (const PointResult* point : points[test.id]) report.add(*point, test.id);
    report.add(test);
  }
  for (const std::string& line : run.kernel_log) report.add_kernel_line(line);
}

void write_merged(const std::vector<Recorded>& shards, RunResult& run, const fs::path& folder) {
  ReportFolder report(folder, false, "free disk space and merge the shards again");
  report.begin(*read_journal(shards.front().folder).header);
  add_all(shards, run, report);
  if (const fs::path waivers = shards.front().folder / "waivers.json"; !is_absent(waivers)) {
    WaiverFile given = read_waivers(waivers, run.started.substr(0, kDaySize));
    apply_waivers(std::move(given.waivers), run);
    report.keep("waivers.json", given.document);
  }
  report.finish(run);
}

// A half merged report cannot be resumed: it is removed.
void remove_merged(const fs::path& folder, bool is_ours) {
  std::error_code error;
  for (const char* name : kJournals) fs::remove(folder / name, error);
  for (const char* name : kDocuments) fs::remove(folder / name, error);
  if (is_ours) fs::remove(folder, error);
}

}  // namespace

int merge_reports(const std::vector<fs::path>& folders, const RunOptions& options) {
  std::optional<Baseline> baseline;
  const std::vector<Profile> profiles = profiles_in(find_parts().profiles);
  std::vector<Recorded> shards;
  RunResult run;
  try {
    for (const fs::path& folder : folders) {
      std::error_code error;
      if (fs::equivalent(folder, options.report, error))
        throw SetupError(fmt::format("{} is one of the shards; name another folder with --report",
                                     options.report.string()));
      shards.push_back(read_sound_report(folder, profiles));
    }
    run = merge(shards);
  } catch (const std::runtime_error& error) {
    throw SetupError(error.what());
  }
  if (!options.baseline.empty()) baseline.emplace(options.baseline, run.provider);
  const bool is_new = is_absent(options.report);
  try {
    write_merged(shards, run, options.report);
  } catch (const SetupError&) {
    remove_merged(options.report, is_new);
    throw;
  }
  print_run(run, "--provider " + shell_quoted(run.provider));
  print_where_report_is(options.report, false);
  return baseline ? gate(*baseline, options.baseline, run) : exit_code_of(run);
}

}  // namespace conformance
