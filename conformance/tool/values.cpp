// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/values.h"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <charconv>
#include <limits>
#include <string_view>

#include "conformance/harness/library.h"
#include "conformance/report/result.h"

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
