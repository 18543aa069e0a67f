// SPDX-License-Identifier: BSD-3-Clause
//
// The description of a bundle: its members, their hashes, and the signed statement. All of it follows from
// the report and the members, so that a verifier makes it again and compares.
//
//   manifest.json   schema rpma-conformance-bundle/1: suite, profile, packer, each file with size and hash
//   statement.json  in-toto Statement v1 with the predicate test-result v0.1. Its subjects are the files of
//   the bundle
//                   and the judged modules; other modules are configuration, so that no hash of them has a
//                   pass.
//   SHA256SUMS      every other file of the bundle, for sha256sum -c
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "conformance/bundle/archive.h"
#include "conformance/report/result.h"

namespace conformance {

// The files of a report.
struct MemberName {
  std::string_view name;
  bool required;
};
inline constexpr std::string_view kProfile = "profile.json";
inline constexpr std::array<MemberName, 12> kReportFiles = {{{"junit.xml", true},
                                                             {"kernel.jsonl", false},
                                                             {"kernel.log", false},
                                                             {"points.jsonl", true},
                                                             {"profile.json", true},
                                                             {"report.html", false},
                                                             {"report.json", true},
                                                             {"report.tap", false},
                                                             {"results.jsonl", true},
                                                             {"run.json", false},
                                                             {"self-check.json", false},
                                                             {"waivers.json", false}}};
inline constexpr const char* kManifest = "manifest.json";
inline constexpr const char* kStatement = "statement.json";
inline constexpr const char* kEnvelope = "statement.dsse.json";
inline constexpr const char* kSums = "SHA256SUMS";

// All names that a bundle can hold.
std::array<std::string_view, kReportFiles.size() + 4> member_names();

// `files`: the report's alone.
std::string manifest_of(const RunResult& run, const Members& files, const Packer& packed_by);
// The packer that a manifest names. Throws where it is none.
Packer packer_in(const std::string& manifest);

// `files`: the report's, and the manifest.
std::string statement_of(const RunResult& run, const Members& files);

// `members`: all but the sums.
std::string sums_of(const Members& members);

// PASSED only where the run is certifiable; FAILED for a finding in the subject; otherwise WARNED.
std::string_view result_of(const RunResult& run);

}  // namespace conformance
