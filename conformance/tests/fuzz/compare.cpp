// SPDX-License-Identifier: BSD-3-Clause
//
// What `diff` and `merge` do with two recorded runs: report.json, points.jsonl, and the same of the other,
// with a line
// "----" between them. Reading may throw DocumentError alone, with one short line. A run compared with itself
// shows nothing; a clause that passed and does not any more, and a finding that was not there, is a
// regression.
#include <algorithm>

#include "conformance/report/compare.h"
#include "conformance/report/document.h"
#include "conformance/report/recorded.h"
#include "conformance/tests/fuzz/property.h"

using namespace conformance;
using namespace conformance::fuzzing;

namespace {

bool has_regression(const std::vector<Change>& changes) {
  return std::ranges::any_of(changes, &Change::regression);
}

bool got_worse(const RunResult& before, const RunResult& after) {
  const auto now = by_clause(after);
  for (const auto& [id, old] : by_clause(before)) {
    const auto found = now.find(id);
    if (found == now.end() || (old.verdict == Verdict::Pass && found->second.verdict != Verdict::Pass))
      return true;
  }
  return findings_of(before).empty() && !findings_of(after).empty();
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view rest = text_of(data, size);
  const std::string_view report = take_part(rest);
  const std::string_view points = take_part(rest);
  const std::string_view other_report = take_part(rest);
  const std::string_view other_points = take_part(rest);
  Recorded before;
  Recorded after;
  try {
    before = parse_recorded(report, points);
    after = parse_recorded(other_report, other_points);
  } catch (const DocumentError& error) {
    must_be_one_line(error.what());
    return 0;
  }
  // From here on nothing may be thrown.
  must(compare(before, before).empty() && compare(after, after).empty(), "a run does not differ from itself");
  must(tests_not_concluded(before.run, before.run).empty(), "a run has concluded what it has concluded");
  const std::vector<Change> changes = compare(before, after);
  must(!got_worse(before.run, after.run) || has_regression(changes), "what got worse is a regression");
  return 0;
}
