// SPDX-License-Identifier: BSD-3-Clause
//
// The published JSON schemas (report/schema/, draft 7), and whether a document is of one.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace conformance {

struct SchemaText {
  std::string_view name;  // of the file
  std::string_view text;
};
std::span<const SchemaText> schema_texts();

// By file name without its ending.
inline constexpr std::string_view kReportSchema = "rpma-conformance-1";
inline constexpr std::string_view kResultSchema = "rpma-conformance-result-1";
inline constexpr std::string_view kKernelLineSchema = "rpma-conformance-kernel-1";
inline constexpr std::string_view kPointSchema = "rpma-conformance-point-1";
inline constexpr std::string_view kProfileSchema = "rpma-conformance-profile-1";
inline constexpr std::string_view kWaiversFileSchema = "rpma-conformance-waivers-1";
inline constexpr std::string_view kRunSchema = "rpma-conformance-run-1";
inline constexpr std::string_view kSelfCheckSchema = "rpma-conformance-self-check-1";
inline constexpr std::string_view kBaselineFileSchema = "rpma-conformance-baseline-1";
inline constexpr std::string_view kManifestSchema = "rpma-conformance-bundle-1";

// Empty, or where the document departs from the schema first: "/counts/points: ...".
std::string departure(std::string_view schema, const nlohmann::ordered_json& document);

}  // namespace conformance
