// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/schemas.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "conformance/report/document.h"

namespace conformance {
namespace {

using valijson::adapters::NlohmannJsonAdapter;

nlohmann::json document_named(const std::string& file) {
  for (const SchemaText& one : schema_texts())
    if (one.name == file) return nlohmann::json::parse(one.text);
  throw std::logic_error(fmt::format("there is no schema {}", file));
}

// Schemas refer to one another by file name.
std::unique_ptr<valijson::Schema> parse_schema(const std::string& file) {
  auto schema = std::make_unique<valijson::Schema>();
  const nlohmann::json document = document_named(file);
  const NlohmannJsonAdapter adapter(document);
  valijson::SchemaParser parser(valijson::SchemaParser::kDraft7);
  std::map<std::string, nlohmann::json> fetched;  // outlives the parser's use of it
  parser.populateSchema(
      adapter, *schema,
      [&fetched](const std::string& name) {
        return &fetched.emplace(name, document_named(name)).first->second;
      },
      [](const nlohmann::json*) {});
  return schema;
}

const valijson::Schema& schema_named(std::string_view name) {
  static std::map<std::string, std::unique_ptr<valijson::Schema>, std::less<>> parsed;
  auto found = parsed.find(name);
  if (found == parsed.end()) {
    std::string file = fmt::format("{}.schema.json", name);
    std::ranges::replace(file, '/', '-');
    found = parsed.emplace(name, parse_schema(file)).first;
  }
  return *found->second;
}

// "<root>[counts][points]" as a JSON pointer.
std::string pointer(const std::string& context) {
  std::string text;
  for (const char c : context.substr(std::min(context.size(), std::string_view("<root>").size()))) {
    if (c == '[') text += '/';
    if (c != '[' && c != ']') text += c;
  }
  constexpr size_t kMostShown = 200;
  return text.empty() ? "/" : text.substr(0, kMostShown);
}

// Each wrong value costs memory before the first can be shown.
constexpr size_t kMostExplained = 100000;

size_t count_values(const nlohmann::json& document) {
  size_t count = 1;
  if (document.is_structured())
    for (const nlohmann::json& value : document) count += count_values(value);
  return count;
}

}  // namespace

std::string departure(std::string_view schema, const nlohmann::ordered_json& document) {
  const nlohmann::json plain = document;
  const NlohmannJsonAdapter target(plain);
  valijson::Validator validator(valijson::Validator::kStrongTypes);
  if (validator.validate(schema_named(schema), target, nullptr)) return {};
  std::string where;
  std::string what = "does not follow the schema";
  if (count_values(plain) <= kMostExplained) {
    valijson::ValidationResults results;
    validator.validate(schema_named(schema), target, &results);
    // The innermost value says most.
    for (valijson::ValidationResults::Error error; results.popError(error);) {
      std::string context;
      for (const std::string& part : error.context) context += part;
      if (context.size() < where.size()) continue;
      where = context;
      what = error.description;
    }
  }
  constexpr size_t kMostShown = 200;
  return as_one_line(fmt::format("{}: {}", pointer(where), what.substr(0, kMostShown)));
}

}  // namespace conformance
