// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conformance/catalogue/clauses.h"
#include "conformance/catalogue/rulings.h"
#include "conformance/harness/library.h"
#include "conformance/tool/command_line.h"
#include "conformance/tool/options.h"
#include "shim/rdmafault.h"

namespace conformance {
namespace {

// Markdown would read these as markup.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>#|~").find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

// CLI11 calls a type "TEXT", "UINT:INT in [1 - 64]", "TEXT:{mock,rxe,hw}" or "TEXT:I/N".
std::string value_of(const CLI::Option& option) {
  std::string type = option.get_type_name();
  if (const size_t colon = type.find(':'); colon != std::string::npos) type = type.substr(colon + 1);
  if (type.starts_with('{') && type.ends_with('}')) {
    type = type.substr(1, type.size() - 2);
    std::ranges::replace(type, ',', '|');
  }
  if (type == "TEXT") return "VALUE";
  if (type == "UINT" || type == "INT" || type.starts_with("INT in") || type.starts_with("UINT in"))
    return "NUMBER";
  return type;
}

std::string names_of(const CLI::Option& option) {
  if (!option.nonpositional()) return fmt::format("*{}*", escaped(option.get_name(true)));
  std::string names;
  for (const std::string& name : option.get_snames()) names += fmt::format("**-{}**, ", escaped(name));
  for (const std::string& name : option.get_lnames()) names += fmt::format("**--{}**, ", escaped(name));
  names.resize(names.size() - 2);
  const std::string value = value_of(option);  // of a flag: none
  return value.empty() ? names : fmt::format("{} *{}*", names, escaped(value));
}

std::string description_of(const CLI::Option& option) {
  std::vector<std::string> details;
  const std::string type = option.get_type_name();
  if (const size_t range = type.find(" in ["); range != std::string::npos)
    details.push_back("range " + type.substr(range + 5, type.size() - range - 6));
  if (!option.get_default_str().empty()) details.push_back("default " + option.get_default_str());
  if (option.get_required()) details.emplace_back("required");
  std::string text = option.get_description();
  if (!details.empty()) text += fmt::format(" [{}]", fmt::join(details, "; "));
  return escaped(text);
}

std::string options_of(const CLI::App& app, const std::string& command) {
  const CLI::App* of = &app;
  if (!command.empty()) {
    const std::vector<const CLI::App*> all = app.get_subcommands([](const CLI::App*) { return true; });
    const auto found = std::ranges::find(all, command, [](const CLI::App* one) { return one->get_name(); });
    if (found == all.end())
      throw SetupError(fmt::format("no command '{}'; see rpma-conformance --help", command));
    of = *found;
  }
  std::string text;
  for (const CLI::Option* option : of->get_options()) {
    const bool is_help = !command.empty() && option == of->get_help_ptr();  // each command has it
    const bool is_common = !command.empty() && option->get_group() == kCommonOptions;
    if (option->get_group().empty() || is_help || is_common) continue;  // no group: hidden
    text += fmt::format("{}\n:   {}\n\n", names_of(*option), description_of(*option));
  }
  return text;
}

std::string all_clauses() {
  std::string text;
  for (const Clause& clause : clauses())
    text += fmt::format("**{}**\n:   {} *Source:* {}.\n\n", clause.id, escaped(clause.promise),
                        escaped(clause.source));
  return text;
}

std::string all_rulings() {
  std::string text;
  for (const Ruling& ruling : rulings()) text += fmt::format("{}. {}\n", ruling.number, escaped(ruling.text));
  return text;
}

std::string listed(const rdmafault_name* name) {
  std::string names;
  for (; name != nullptr && name->name != nullptr; ++name)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", escaped(name->name));
  return names;
}

std::string all_functions() {
  size_t count = 0;
  const rdmafault_function* const table = rdmafault_functions(&count);
  std::string text;
  for (const rdmafault_function& function : std::span(table, count)) {
    const std::string errors = listed(function.errors);
    const std::string values = listed(function.values);
    if (errors.empty() && values.empty()) continue;  // cannot be made to fail
    text += fmt::format("**{}**\n:   ", escaped(function.name));
    if (!errors.empty()) text += fmt::format("error= {}", errors);
    if (!values.empty()) text += fmt::format("{}retval= {}", errors.empty() ? "" : "; ", values);
    text += "\n\n";
  }
  return text;
}

std::string part(const CLI::App& app, std::string_view name) {
  if (name == "CLAUSES") return all_clauses();
  if (name == "RULINGS") return all_rulings();
  if (name == "FUNCTIONS") return all_functions();
  if (name == "OPTIONS") return options_of(app, "");
  if (name.starts_with("OPTIONS ")) return options_of(app, std::string(name.substr(sizeof("OPTIONS"))));
  throw SetupError(fmt::format("unknown part '{}'; see conformance/tool/pages.h", name));
}

}  // namespace

int print_page(const CLI::App& app, const std::filesystem::path& page) {
  std::ifstream file(page);
  if (!file) throw SetupError(fmt::format("cannot read the page {}", page.string()));
  for (std::string line; std::getline(file, line);) {
    if (line.size() > 2 && line.front() == '@' && line.back() == '@')
      fmt::print("{}", part(app, std::string_view(line).substr(1, line.size() - 2)));
    else
      fmt::print("{}\n", line);
  }
  return kConforms;
}

}  // namespace conformance
