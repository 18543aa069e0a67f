// SPDX-License-Identifier: BSD-3-Clause
//
// Waivers: findings that people accept for a while. A waived finding is not a pass. It stays in the report,
// with its waiver, but does not fail the run.
//
//   {"schema": "rpma-conformance-waivers/1", "waivers": [
//     {"clause": "LISTEN-RET-2",             or "point": "rpma_ep_listen/...", or both
//      "module": "rdmacm",                   the role of the accused module
//      "package": "librdmacm1", "from": "44.0-1", "to": "44.0-2",   of one release, both included;
//                                            or, instead of the three: "build_id": "..."
//      "owner": "...", "reason": "...", "link": "https://...", "expires": "2027-03-01"}]}
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "conformance/report/result.h"

namespace conformance {

inline constexpr size_t kDaySize = sizeof("YYYY-MM-DD") - 1;

// Reads a document that is valid by kWaiversSchema. `day`: YYYY-MM-DD, that of the run. Throws DocumentError
// (document.h) for a waiver that has expired by then or is too broad: a pattern, more than one release,
// longer than a year.
std::vector<Waiver> parse_waivers(const nlohmann::ordered_json& document, const std::string& day);

// A file, and its waivers. Throws SetupError.
struct WaiverFile {
  std::string document;  // its bytes
  std::vector<Waiver> waivers;
};
WaiverFile read_waivers(const std::filesystem::path& file, const std::string& day);

// As in a report, with their state.
nlohmann::ordered_json to_json(const std::vector<Waiver>& waivers);
Waiver waiver_from_json(const nlohmann::ordered_json& json);

// Changes findings to the verdict `waived` where a waiver covers them and names a version that is in the
// stack. Fills run.waivers, with the state of each:
//   used           it covered a finding
//   stale          everything that it could cover passed: remove it
//   not tested     the run did not try everything that it could cover
//   other version  its versions are not in the stack
void apply_waivers(std::vector<Waiver> waivers, RunResult& run);

}  // namespace conformance
