// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/gate.h"

#include <fmt/format.h>

#include "conformance/tool/options.h"

namespace conformance {

int gate(const Baseline& baseline, const std::filesystem::path& file, const RunResult& run) {
  const std::vector<std::string> lines = baseline.differences(run);
  for (const std::string& line : lines) fmt::print("{}\n", line);
  if (!lines.empty()) {
    fmt::print("baseline: differs, exit code {}\n", static_cast<int>(kFinding));
    return kFinding;
  }
  const int code = exit_code_without_findings(run);
  fmt::print("baseline: the findings are exactly those of {}, exit code {}\n", file.string(), code);
  return code;
}

}  // namespace conformance
