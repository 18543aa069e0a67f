// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/waivers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/catalogue/clauses.h"
#include "conformance/report/debian_version.h"
#include "conformance/report/document.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

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

// With a host.
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

// Empty, or what is wrong with it beyond the schema.
std::string objection_to(const Waiver& waiver, const std::string& day) {
  for (const Field& field : kFields)
    if ((waiver.*field.value).find('*') != std::string::npos)
      return fmt::format("'{}' is too broad: patterns are not allowed", field.name);
  if (!waiver.clause.empty() && find_clause(waiver.clause) == nullptr)
    return fmt::format("there is no clause '{}'", waiver.clause);
  if (std::ranges::find(kAccusable, waiver.module) == kAccusable.end())
    return fmt::format("there is no module '{}'; name one role, such as iut or rdmacm", waiver.module);
  if (waiver.build_id.empty()) {
    if (!is_between(waiver.from, waiver.from, waiver.to))
      return fmt::format("'from' {} is later than 'to' {}", waiver.from, waiver.to);
    if (series_of(waiver.from) != series_of(waiver.to))
      return fmt::format("too broad: {} to {} is more than one release; write a waiver for each", waiver.from,
                         waiver.to);
  } else if (waiver.module == "kernel") {
    return "the kernel has no build_id; name package, from and to";
  }
  for (const auto& [name, value] : {Field{"owner", &Waiver::owner}, Field{"reason", &Waiver::reason}})
    if (is_blank(waiver.*value)) return fmt::format("'{}' is blank", name);
  if (!is_link(waiver.link)) return "'link' is not a link to a discussion";
  const std::optional<Days> end = day_of(waiver.expires);
  const std::optional<Days> now = day_of(day);
  if (!end) return fmt::format("'expires' is not a day: {}", waiver.expires);
  if (!now) return fmt::format("the run's day is unknown: '{}'", day);
  if (*end < *now) return fmt::format("it expired on {}; renew or remove it", waiver.expires);
  if (*end > a_year_after(*now))
    return fmt::format("too broad: it ends on {}, more than a year from {}", waiver.expires, day);
  return {};
}

bool is_in_stack(const Waiver& waiver, const Stack& stack) {
  const auto covers = [&waiver](const std::string& version) {
    return is_between(waiver.from, version, waiver.to);
  };
  if (waiver.module == "kernel")  // its package is the kernel itself
    return covers(stack.kernel.substr(0, stack.kernel.find(' ')));
  for (const StackModule& module : stack.modules) {
    if (module.role != waiver.module) continue;
    if (!waiver.build_id.empty()) {
      if (module.build_id == waiver.build_id) return true;
      continue;
    }
    // Modules of one package have one version.
    const size_t space = std::min(module.package.find(' '), module.package.size());
    if (module.package.substr(0, space) == waiver.package)
      return covers(module.package.substr(space).erase(0, 1));
  }
  return false;
}

// The points of a finding that the waiver covers: all, or one.
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

// Splits findings of a test into a waived part and the rest. Returns whether anything is covered.
bool waive_in(const Waiver& waiver, TestResult& test) {
  std::vector<ClauseResult> clauses;
  bool used = false;
  for (ClauseResult& clause : test.clauses) {
    // Already taken out by another waiver.
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
  std::vector<Waiver> waivers;
  for (const Json& one : document.at("waivers")) {
    const Waiver& waiver = waivers.emplace_back(waiver_from_json(one));
    if (const std::string objection = objection_to(waiver, day); !objection.empty())
      throw DocumentError(as_one_line(fmt::format("/waivers/{}: {}", waivers.size() - 1, objection)));
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
  run.waivers = std::move(waivers);
}

}  // namespace conformance
