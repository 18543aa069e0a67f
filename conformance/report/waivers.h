// SPDX-License-Identifier: BSD-3-Clause
//
// Waivers: findings that somebody answers for, for a while. A waived finding is no pass and stays in the
// report with its waiver; it only does not stop a gate.
//
//   {"schema": "rpma-conformance-waivers/1", "waivers": [
//     {"clause": "LISTEN-RET-2",             or "point": "rpma_ep_listen/...", or both
//      "module": "rdmacm",                   the role of the accused
//      "package": "librdmacm1", "from": "44.0-1", "to": "44.0-2",   of one release, both ends belong to it;
//                                            or, instead of the three: "build_id": "..."
//      "owner": "...", "reason": "...", "link": "https://...", "expires": "2027-03-01"}]}
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "conformance/report/result.h"

namespace conformance {

struct Waiver {
  std::string clause;  // empty: any, at the point
  std::string point;   // empty: all
  std::string module;
  std::string package;
  std::string from;
  std::string to;
  std::string build_id;
  std::string owner;
  std::string reason;
  std::string link;
  std::string expires;  // the last day, YYYY-MM-DD
  std::string state;    // after apply_waivers()

  [[nodiscard]] std::string text() const;  // "LISTEN-RET-2 by rdmacm"
};

inline constexpr size_t kDaySize = sizeof("YYYY-MM-DD") - 1;
inline constexpr const char* kWaiversSchema = "rpma-conformance-waivers/1";

// Reads the document. `day`: YYYY-MM-DD, that of the run. Throws DocumentError (document.h) for a
// waiver that lacks something, that has expired by then, or that is too broad: without a module, without an
// end of its versions or for more than one release, or for longer than a year.
std::vector<Waiver> parse_waivers(const nlohmann::ordered_json& document, const std::string& day);

// A file, and the waivers in it. Throws SetupError.
struct WaiverFile {
  std::string document;  // its bytes
  std::vector<Waiver> waivers;
};
WaiverFile read_waivers(const std::filesystem::path& file, const std::string& day);

// As the report shows them, with their state.
nlohmann::ordered_json to_json(const std::vector<Waiver>& waivers);

// One of them again, as it stands in a report that has been read and checked.
Waiver waiver_from_json(const nlohmann::ordered_json& json);

// Replaces findings by the verdict `waived` where a waiver covers them and the stack has what it names. Fills
// run.waivers, with the state of each:
//   used           a finding was waived
//   stale          everything that it could cover passed: remove it
//   not tested     the run did not try all that it could cover
//   other version  the stack has not the versions that it names
void apply_waivers(std::vector<Waiver> waivers, RunResult& run);

}  // namespace conformance
