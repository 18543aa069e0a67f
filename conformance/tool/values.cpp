// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/values.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <string_view>
#include <vector>

#include "conformance/harness/library.h"
#include "conformance/report/result.h"
#include "conformance/tool/command_line.h"
#include "conformance/tool/suggest.h"

namespace conformance {
namespace {

[[noreturn]] void refuse_empty(std::string_view name) {
  throw SetupError(fmt::format("{} needs a value", name));
}

// As a user types it, also where the help hides it.
std::string name_of(const CLI::Option& option) {
  return (option.get_positional() ? "" : "--") + option.get_single_name();
}

}  // namespace

std::string shard_error(const std::string& text) {
  return shard_named(text) ? "" : fmt::format("'{}' is not a shard; the second of three is 2/3", text);
}

std::string profile_version_error(const std::string& text) {
  const size_t slash = text.find('/');
  const std::string version = slash == std::string::npos ? "" : text.substr(slash + 1);
  const bool is_one = slash != 0 && !version.empty() && version.size() < 6 &&
                      version.find_first_not_of("0123456789") == std::string::npos;
  return is_one ? "" : fmt::format("'{}' is not a profile version; write NAME/VERSION, as in listen/2", text);
}

// CLI11 would wrap negative numbers, cap large ones, and read a leading zero as octal.
std::string seed_error(const std::string& text) {
  uint64_t seed = 0;
  std::from_chars(text.data(), text.data() + text.size(), seed);
  return std::to_string(seed) == text ? ""
                                      : fmt::format("'{}' is not a seed; write a number from 0 to {}", text,
                                                    std::numeric_limits<uint64_t>::max());
}

namespace {

std::vector<std::string> patterns_in(std::string_view text) {
  std::vector<std::string> patterns;
  while (!text.empty()) {
    const std::string_view pattern = text.substr(0, text.find(':'));
    if (!pattern.empty()) patterns.emplace_back(pattern);
    text.remove_prefix(std::min(text.size(), pattern.size() + 1));
  }
  return patterns;
}

bool matches(const std::string& pattern, const std::string& test) {
  return fnmatch(pattern.c_str(), test.c_str(), FNM_NOESCAPE) == 0;
}

}  // namespace

// A filter that selects nothing at all is not an error here: the run says so, and has its own exit code.
std::string filter_error(const std::string& filter) {
  const size_t dash = std::min(filter.find('-'), filter.size());
  const std::vector<std::string> tests = test_names();
  std::vector<std::string> selected;
  std::string idle;
  const std::vector<std::string> wanted = patterns_in(dash == 0 ? "*" : filter.substr(0, dash));
  for (const std::string& pattern : wanted) {
    const size_t before = selected.size();
    for (const std::string& test : tests)
      if (matches(pattern, test)) selected.push_back(test);
    if (selected.size() == before && idle.empty()) idle = pattern;
  }
  if (selected.empty()) return "";
  if (!idle.empty()) return fmt::format("'{}' is not a test{}", idle, did_you_mean(idle, tests));
  for (const std::string& pattern :
       patterns_in(std::string_view(filter).substr(std::min(dash + 1, filter.size()))))
    if (std::ranges::none_of(selected, [&](const std::string& test) { return matches(pattern, test); }))
      return fmt::format(
          "'{}' stands after '-' and leaves out none of the selected tests; patterns of tests to run come "
          "before '-'",
          pattern);
  return "";
}

void refuse_empty_values(CLI::App& app, std::span<char* const> words) {
  // CLI11 would use the next word as the value.
  for (const std::string_view word : words)
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      refuse_empty(word.substr(0, word.size() - 1));
  // transform() puts this check before the others.
  std::vector<CLI::App*> all = app.get_subcommands({});
  all.push_back(&app);
  for (CLI::App* command : all)
    for (CLI::Option* option : command->get_options())
      option->transform(CLI::Validator(
          [name = name_of(*option)](const std::string& value) {
            if (value.empty()) refuse_empty(name);
            return std::string();
          },
          ""));
}

}  // namespace conformance
