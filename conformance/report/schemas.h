// SPDX-License-Identifier: BSD-3-Clause
//
// The published JSON schemas (report/schema/, draft 7). A document is checked against its schema once, when
// it is read (document.h); the code that takes values out of it relies on that.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace conformance {

struct SchemaText {
  std::string_view name;  // of the file
  std::string_view text;
};
std::span<const SchemaText> schema_texts();

// The value of a document's member "schema". The file has "-" instead of "/".
inline constexpr const char* kReportSchema = "rpma-conformance/1";
inline constexpr const char* kProfileSchema = "rpma-conformance-profile/1";
inline constexpr const char* kWaiversSchema = "rpma-conformance-waivers/1";
inline constexpr const char* kRunSchema = "rpma-conformance-run/1";
inline constexpr const char* kSelfCheckSchema = "rpma-conformance-self-check/1";
inline constexpr const char* kBaselineSchema = "rpma-conformance-baseline/1";
inline constexpr const char* kManifestSchema = "rpma-conformance-bundle/1";

// Of each line of a file. The lines do not name it.
struct LineSchema {
  const char* file;
  const char* schema;
};
inline constexpr LineSchema kResultLines = {"results.jsonl", "rpma-conformance-result/1"};
inline constexpr LineSchema kPointLines = {"points.jsonl", "rpma-conformance-point/1"};
inline constexpr LineSchema kKernelLines = {"kernel.jsonl", "rpma-conformance-kernel/1"};

// Empty, or one line with a JSON pointer to a value that breaks the schema: "/counts/points: ...".
std::string departure(std::string_view schema, const nlohmann::ordered_json& document);

}  // namespace conformance
