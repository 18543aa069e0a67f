// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/waivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <compare>
#include <optional>

#include "conformance/catalogue/clauses.h"
#include "conformance/report/debian_version.h"
#include "conformance/report/document.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;
constexpr size_t kMostOfAField = 40;
constexpr size_t kMostWaivers = 1000;

struct Field {
  const char* name;
  std::string Waiver::*value;
};
constexpr std::array<Field, 11> kFields = {{{"clause", &Waiver::clause},
                                            {"point", &Waiver::point},
                                            {"module", &Waiver::module},
                                            {"package", &Waiver::package},
                                            {"from", &Waiver::from},
                                            {"to", &Waiver::to},
                                            {"build_id", &Waiver::build_id},
                                            {"owner", &Waiver::owner},
                                            {"reason", &Waiver::reason},
                                            {"link", &Waiver::link},
                                            {"expires", &Waiver::expires}}};

using Days = std::chrono::sys_days;

// A number of exactly so many digits.
std::optional<int> number_at(std::string_view text, size_t begin, size_t size) {
  int value = 0;
  for (const char c : text.substr(begin, size)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return value;
}

std::optional<Days> day_of(std::string_view text) {
  if (text.size() != kDaySize || text[4] != '-' || text[7] != '-') return std::nullopt;
  const std::optional<int> year = number_at(text, 0, 4);
  const std::optional<int> month = number_at(text, 5, 2);
  const std::optional<int> day = number_at(text, 8, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  return date.ok() ? std::optional<Days>(date) : std::nullopt;
}

// The same day of the next year; after the 29th of February the 1st of March.
Days a_year_after(Days day) {
  const std::chrono::year_month_day next = std::chrono::year_month_day(day) + std::chrono::years(1);
  return next.ok() ? Days(next) : Days(next.year() / std::chrono::March / 1);
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

// With a host: what names nobody cannot be read.
bool is_link(std::string_view text) {
  for (const std::string_view scheme : {"https://", "http://"})
    if (text.starts_with(scheme)) {
      const std::string_view rest = text.substr(scheme.size());
      return !rest.empty() && rest.find_first_of("/ \t\r\n") != 0;
    }
  return false;
}

// The release that a version is of: its epoch and its first two numbers, 44.0 of 44.0-2 and 6.1 of 6.1.0-57.
std::string_view series_of(std::string_view version) {
  const size_t first = version.find('.');
  const size_t second =
      first == std::string_view::npos ? first : version.find_first_not_of("0123456789", first + 1);
  const size_t revision = version.find_first_of("-+~");
  return version.substr(
      0, std::min({second, first == std::string_view::npos ? revision : second, version.size()}));
}

// Empty, or what speaks against it.
std::string objection_to(const Waiver& waiver, const std::string& day) {
  for (const Field& field : kFields)
    if ((waiver.*field.value).find('*') != std::string::npos)
      return fmt::format("'{}' is too broad: a pattern waives what nobody has looked at", field.name);
  if (waiver.clause.empty() && waiver.point.empty()) return "it needs a clause, a point, or both";
  if (!waiver.clause.empty() && find_clause(waiver.clause) == nullptr)
    return fmt::format("there is no clause '{}'", waiver.clause);
  if (std::ranges::find(kAccusable, waiver.module) == kAccusable.end())
    return fmt::format("its module '{}' is none; name one role, such as iut or rdmacm", waiver.module);
  const bool by_version = !waiver.package.empty() && !waiver.from.empty() && !waiver.to.empty();
  const bool names_version = !waiver.package.empty() || !waiver.from.empty() || !waiver.to.empty();
  if (by_version == !waiver.build_id.empty() || (names_version && !by_version))
    return "it is too broad: it needs package, from and to, or a build_id instead of all three";
  if (waiver.module == "kernel" && !by_version)
    return "the kernel has no build_id here; name package, from and to";
  if (by_version && std::is_gt(compare_versions(waiver.from, waiver.to)))
    return fmt::format("its versions end before they begin ({} to {})", waiver.from, waiver.to);
  if (by_version && series_of(waiver.from) != series_of(waiver.to))
    return fmt::format("it is too broad: {} to {} is more than one release; write a waiver for each",
                       waiver.from, waiver.to);
  for (const auto& [name, value] : {Field{"owner", &Waiver::owner}, Field{"reason", &Waiver::reason}})
    if (is_blank(waiver.*value)) return fmt::format("it needs {} '{}'", name[0] == 'o' ? "an" : "a", name);
  if (!is_link(waiver.link)) return "it needs a 'link' to where it is discussed";
  const std::optional<Days> end = day_of(waiver.expires);
  const std::optional<Days> now = day_of(day);
  if (!end) return "it needs the day on which it 'expires' as YYYY-MM-DD";
  if (!now) return fmt::format("'{}' is no day of a run", day);
  if (*end < *now) return fmt::format("it expired on {}; renew or remove it", waiver.expires);
  if (*end > a_year_after(*now))
    return fmt::format("it is too broad: it ends on {}, more than a year from {}", waiver.expires, day);
  return {};
}

Waiver read_one(const Node& node) {
  Waiver waiver;
  for (const auto& [key, value] : node.members()) {
    const auto* const field =
        std::ranges::find_if(kFields, [&key = key](const Field& one) { return key == one.name; });
    if (field == kFields.end())
      throw DocumentError(fmt::format("it has an unknown field '{}'", as_one_line(key, kMostOfAField)));
    if (!value.json().is_string()) throw DocumentError(fmt::format("its '{}' is no text", key));
    waiver.*(field->value) = value.text();
  }
  return waiver;
}

bool is_between(const Waiver& waiver, const std::string& version) {
  return std::is_lteq(compare_versions(waiver.from, version)) &&
         std::is_lteq(compare_versions(version, waiver.to));
}

bool is_in_stack(const Waiver& waiver, const Stack& stack) {
  if (waiver.module == "kernel") {  // its package is the kernel itself
    const std::string release = stack.kernel.substr(0, stack.kernel.find(' '));
    return waiver.build_id.empty() && is_between(waiver, release);
  }
  return std::ranges::any_of(stack.modules, [&waiver](const StackModule& module) {
    if (module.role != waiver.module) return false;
    if (!waiver.build_id.empty()) return module.build_id == waiver.build_id;
    const size_t space = module.package.find(' ');
    if (space == std::string::npos || module.package.substr(0, space) != waiver.package) return false;
    const std::string version = module.package.substr(space + 1);
    return is_between(waiver, version);
  });
}

// What of a finding the waiver covers: all of its points, or one.
std::vector<std::string> covered_points(const Waiver& waiver, const ClauseResult& finding) {
  if (finding.module != waiver.module) return {};
  if (!waiver.clause.empty() && finding.clause != waiver.clause) return {};
  if (waiver.point.empty()) return finding.points;
  return std::ranges::find(finding.points, waiver.point) == finding.points.end()
             ? std::vector<std::string>()
             : std::vector<std::string>{waiver.point};
}

ClauseResult waived_part(const Waiver& waiver, const ClauseResult& finding,
                         const std::vector<std::string>& points) {
  ClauseResult part = finding;
  part.waived = name_of(finding.verdict);
  part.verdict = Verdict::Waived;
  part.reason = fmt::format("{}, waived until {} by {} ({}): {}", part.waived, waiver.expires, waiver.owner,
                            waiver.link, finding.reason);
  part.points = points;
  return part;
}

// Splits findings of a test into what the waiver covers and what it does not. True where it covered
// something.
bool waive_in(const Waiver& waiver, TestResult& test) {
  std::vector<ClauseResult> clauses;
  bool used = false;
  for (ClauseResult& clause : test.clauses) {
    // What another waiver has taken out before: this one would have.
    if (clause.verdict == Verdict::Waived && !covered_points(waiver, clause).empty()) used = true;
    const std::vector<std::string> points =
        is_finding(clause.verdict) ? covered_points(waiver, clause) : std::vector<std::string>();
    if (points.empty()) {
      clauses.push_back(std::move(clause));
      continue;
    }
    used = true;
    clauses.push_back(waived_part(waiver, clause, points));
    std::erase_if(clause.points, [&points](const std::string& point) {
      return std::ranges::find(points, point) != points.end();
    });
    if (!clause.points.empty()) clauses.push_back(std::move(clause));
  }
  test.clauses = std::move(clauses);
  if (!used) return false;
  const Outcome outcome = outcome_of(test.clauses);
  test.verdict = outcome.verdict();
  test.reason = outcome.passed() ? "" : outcome.reason();
  return true;
}

std::string state_of_unused(const Waiver& waiver, const RunResult& run) {
  if (!is_in_stack(waiver, run.stack)) return "other version";
  return incomplete_because(run).empty() ? "stale" : "not tested";
}

}  // namespace

std::string Waiver::text() const {
  return fmt::format("{}{}{} by {}", clause, clause.empty() || point.empty() ? "" : " at ", point, module);
}

std::vector<Waiver> parse_waivers(const Json& document, const std::string& day) {
  const Node node(document);
  if (node.text_or("schema") != kWaiversSchema)
    node.refuse(fmt::format("is not of schema {}", kWaiversSchema));
  if (document.size() != 2) node.refuse("has more than a schema and waivers");
  std::vector<Waiver> waivers;
  if (node.at("waivers").items().size() > kMostWaivers)
    node.at("waivers").refuse(fmt::format("are more than {}: nobody answers for so many", kMostWaivers));
  for (const Node& one : node.at("waivers").items()) {
    const size_t number = waivers.size() + 1;
    try {
      waivers.push_back(read_one(one));
      if (const std::string objection = objection_to(waivers.back(), day); !objection.empty())
        throw DocumentError(objection);
    } catch (const DocumentError& error) {
      throw DocumentError(fmt::format("waiver {}: {}", number, as_one_line(error.what())));
    }
  }
  return waivers;
}

WaiverFile read_waivers(const std::filesystem::path& file, const std::string& day) {
  constexpr Expected kExpected = {
      .what = "list of waivers", .schema = kWaiversSchema, .hint = "name another with --waivers"};
  WaiverFile read;
  try {
    read.document = read_file(file, kExpected);
    read.waivers = parse_waivers(parse_document(read.document, kExpected.schema), day);
  } catch (const DocumentError& error) {
    refuse_document(file, kExpected, error.what());
  }
  return read;
}

Json to_json(const std::vector<Waiver>& waivers) {
  Json list = Json::array();
  for (const Waiver& waiver : waivers) {
    Json json = Json::object();
    for (const Field& field : kFields)
      if (!(waiver.*field.value).empty()) json[field.name] = waiver.*field.value;
    json["state"] = waiver.state;
    list.push_back(std::move(json));
  }
  return list;
}

Waiver waiver_from_json(const Json& json) {
  Waiver waiver;
  for (const Field& field : kFields) waiver.*field.value = json.value(field.name, "");
  waiver.state = json.value("state", "");
  return waiver;
}

void apply_waivers(std::vector<Waiver> waivers, RunResult& run) {
  for (Waiver& waiver : waivers) {
    bool used = false;
    if (is_in_stack(waiver, run.stack))
      for (TestResult& test : run.tests) used = waive_in(waiver, test) || used;
    waiver.state = used ? "used" : state_of_unused(waiver, run);
  }
  run.waivers = to_json(waivers);
}

}  // namespace conformance
