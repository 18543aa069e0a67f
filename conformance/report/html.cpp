// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/html.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

#include "conformance/harness/verdict.h"
#include "conformance/report/document.h"
#include "conformance/report/page.h"

namespace conformance {
namespace {

using Json = nlohmann::ordered_json;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Text between tags or in a quoted attribute.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : as_utf8(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

// JSON for a script element: only inside strings can these occur, and there an escape means the same.
std::string embedded(const Json& json) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kEscapes = {
      {{"<", "\\u003c"}, {">", "\\u003e"}, {"&", "\\u0026"}, {"\u2028", "\\u2028"}, {"\u2029", "\\u2029"}}};
  const std::string plain = dumped(json);
  std::string safe;
  safe.reserve(plain.size() + plain.size() / 16);
  for (size_t i = 0; i < plain.size();) {
    const std::string_view rest = std::string_view(plain).substr(i);
    std::string_view from = rest.substr(0, 1);
    std::string_view to = from;
    for (const auto& [dangerous, escape] : kEscapes)
      if (rest.starts_with(dangerous)) std::tie(from, to) = std::pair(dangerous, escape);
    safe += to;
    i += from.size();
  }
  return safe;
}

// A source of the content security policy: this inline text only.
std::string source_of(std::string_view content) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(content.data(), content.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("libcrypto has no SHA-256");
  std::array<unsigned char, size_t{2} * EVP_MAX_MD_SIZE> base64{};
  const int length = EVP_EncodeBlock(base64.data(), digest.data(), static_cast<int>(size));
  return fmt::format("'sha256-{}'", std::string(base64.begin(), base64.begin() + length));
}

// A field of an object; null where it is missing or `json` is not an object.
const Json& at(const Json& json, const char* name) {
  static const Json kNothing;
  const auto found = json.is_object() ? json.find(name) : json.end();
  return json.is_object() && found != json.end() ? *found : kNothing;
}

// A field as escaped text; empty where it is missing.
std::string text_at(const Json& json, const char* name) {
  const Json& value = at(json, name);
  if (value.is_null()) return "";
  return escaped(value.is_string() ? value.get<std::string>() : dumped(value));
}

std::string badge(const Json& outcome) {
  const std::string word = text_at(outcome, "verdict");
  const bool known = verdict_named(word).has_value();
  return fmt::format(
      R"(<span class="verdict v-{}"><svg aria-hidden="true"><use href="#mark-{}"/></svg>{}</span>)",
      known ? word : "unknown", known ? word : "skipped", word.empty() ? "unknown" : word);
}

std::string paragraph(const std::string& content) {
  return content.empty() ? "" : fmt::format("<p>{}</p>", content);
}

std::string fact(std::string_view term, const std::string& content) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", term, content);
}

// The reason of the subject is in the header already.
std::string verdict_fact(std::string_view term, const Json& outcome, const Json& subject) {
  return fact(term, badge(outcome) + (outcome == subject ? "" : paragraph(text_at(outcome, "reason"))));
}

// "complete" and "certifiable": yes, or no and why not.
std::string answer_fact(std::string_view term, const Json& flag) {
  const Json& value = at(flag, "value");
  const std::string_view word = !value.is_boolean() ? "unknown" : value.get<bool>() ? "yes" : "no";
  std::string reasons;
  if (const Json& list = at(flag, "reasons"); list.is_array())
    for (const Json& reason : list)
      reasons += fmt::format("<li>{}</li>",
                             escaped(reason.is_string() ? reason.get<std::string>() : dumped(reason)));
  if (!reasons.empty()) reasons = "<ul>" + reasons + "</ul>";
  return fact(term, fmt::format(R"(<span class="answer">{}</span>{})", word, reasons));
}

std::string profile_fact(const Json& report) {
  const Json& profile = at(report, "profile");
  if (!profile.is_object()) return "";
  const auto hash = [&profile](const char* name, std::string_view what) {
    const std::string whole = text_at(profile, name);
    if (whole.empty()) return std::string();
    return fmt::format(
        R"(<details class="hash"><summary title="{0}">{1} {2}&#8230;</summary><code>{0}</code></details>)",
        whole, what, whole.substr(0, 12));
  };
  return fact("Profile", fmt::format(R"(<span class="answer">{} {}</span>{}{})", text_at(profile, "name"),
                                     text_at(profile, "version"), hash("sha256", "sha256"),
                                     hash("rulings_sha256", "rulings")));
}

std::string name_of_subject(const std::string& subject) {
  if (subject == "iut") return "The IUT";
  return subject == "stack" || subject.empty() ? "The stack" : subject;
}

// The verdicts, which the reader sees first, and without scripts.
std::string summary_of(const Json& report) {
  const Json& verdicts = at(report, "verdicts");
  const Json& counts = at(report, "counts");
  const Json& subject = at(verdicts, "subject");
  std::string started = text_at(report, "started");
  if (started.size() == 20 && started.ends_with('Z'))  // ISO 8601, as runs write it
    started = fmt::format("{} {} UTC", started.substr(0, 10), started.substr(11, 5));
  std::string html =
      fmt::format("<header class=\"top\">\n<p class=\"eyebrow\">rpma_ep_listen(3) on {}, {}</p>\n",
                  text_at(report, "provider"), started);
  html += fmt::format("<h1><span>{}:</span> {}</h1>\n", name_of_subject(text_at(report, "judge")),
                      badge(subject));
  if (const std::string reason = text_at(subject, "reason"); !reason.empty())
    html += fmt::format("<p class=\"why\">{}</p>\n", reason);
  if (const std::string by = text_at(report, "interrupted"); !by.empty())
    html += fmt::format(
        "<p class=\"notice\" id=\"interrupted\">The run was ended by {}. This page shows its results until "
        "then.</p>\n",
        by);
  html += "<dl class=\"facts\">\n" + verdict_fact("Verdict on the IUT", at(verdicts, "iut"), subject) +
          verdict_fact("Verdict on the stack", at(verdicts, "stack"), subject) +
          answer_fact("Complete", at(report, "complete")) +
          answer_fact("Certifiable", at(report, "certifiable")) + profile_fact(report) + "</dl>\n";
  const Json& findings = at(report, "findings");
  html += fmt::format("<p class=\"counts\">{} findings in {} tests, {} points, {} experiments</p>\n</header>",
                      findings.is_array() ? findings.size() : 0, text_at(counts, "ran"),
                      text_at(counts, "points"), text_at(counts, "experiments"));
  return html;
}

// Verdicts as a list, for a browser without scripts. `name`: the field that names a thing.
std::string plain_list(std::string_view heading, const Json& things, const char* name) {
  std::string items;
  if (things.is_array())
    for (const Json& thing : things) {
      const std::string module = text_at(thing, "module");
      const std::string reason = text_at(thing, "reason");
      items +=
          fmt::format("<li>{}{}: {}{}</li>\n", text_at(thing, name), module.empty() ? "" : " by " + module,
                      text_at(thing, "verdict"), reason.empty() ? "" : " (" + reason + ")");
    }
  return items.empty() ? "" : fmt::format("<h2>{}</h2>\n<ul class=\"plain\">\n{}</ul>\n", heading, items);
}

std::string title_of(const Json& report) {
  return fmt::format("{}: {} on {}", text_at(at(at(report, "verdicts"), "subject"), "verdict"),
                     name_of_subject(text_at(report, "judge")), text_at(report, "provider"));
}

// One pass over the template: what is put in is not searched for placeholders.
std::string filled(std::string_view page,
                   const std::vector<std::pair<std::string_view, std::string>>& contents) {
  std::string html;
  for (size_t open = page.find("{{"); open != std::string_view::npos; open = page.find("{{")) {
    const size_t close = page.find("}}", open);
    const std::string_view name = page.substr(open + 2, close - open - 2);
    const auto content = std::ranges::find(contents, name, [](const auto& one) { return one.first; });
    if (content == contents.end())
      throw std::logic_error(fmt::format("page.html has an unknown placeholder '{}'", name));
    html += page.substr(0, open);
    html += content->second;
    page.remove_prefix(close + 2);
  }
  return html += page;
}

}  // namespace

std::string to_html(const Json& report, const std::vector<Json>& points) {
  const Json data = {{"report", report}, {"points", points}};
  const std::string policy =
      fmt::format("default-src 'none'; script-src {}; style-src {}; base-uri 'none'; form-action 'none'",
                  source_of(page_script), source_of(page_style));
  return filled(page_html, {{"policy", policy},
                            {"title", title_of(report)},
                            {"style", std::string(page_style)},
                            {"summary", summary_of(report)},
                            {"plain", plain_list("Findings", at(report, "findings"), "clause") +
                                          plain_list("Clauses", at(report, "clauses"), "id")},
                            {"data", embedded(data)},
                            {"script", std::string(page_script)}});
}

std::vector<Json> read_points(const std::filesystem::path& file) {
  std::vector<Json> points;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    Json point = Json::parse(line, nullptr, false);
    if (point.is_object()) points.push_back(std::move(point));
  }
  return points;
}

}  // namespace conformance
