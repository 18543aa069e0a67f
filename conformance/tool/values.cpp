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

std::string is_no_shard(const std::string& text) {
  return shard_named(text) ? "" : fmt::format("'{}' is no shard; the second of three is 2/3", text);
}

std::string is_no_profile_version(const std::string& text) {
  const size_t slash = text.find('/');
  const std::string version = slash == std::string::npos ? "" : text.substr(slash + 1);
  const bool is_one = slash != 0 && !version.empty() && version.size() < 6 &&
                      version.find_first_not_of("0123456789") == std::string::npos;
  return is_one ? "" : fmt::format("'{}' is no version of a profile; the second of listen is listen/2", text);
}

// CLI11 would wrap what is below zero, cap what is too large, and take a leading zero for octal.
std::string is_no_seed(const std::string& text) {
  uint64_t seed = 0;
  std::from_chars(text.data(), text.data() + text.size(), seed);
  return std::to_string(seed) == text ? ""
                                      : fmt::format("'{}' is no seed; it is a number from 0 to {}", text,
                                                    std::numeric_limits<uint64_t>::max());
}

void refuse_empty_values(CLI::App& app, std::span<const char* const> words) {
  // CLI11 would take the next word for the value.
  for (const std::string_view word : words)
    if (word.starts_with("--") && word.find('=') == word.size() - 1)
      refuse_empty(word.substr(0, word.size() - 1));
  // transform() puts it before other checks, whose words would be about something else.
  for (CLI::App* command : app.get_subcommands({}))
    for (CLI::Option* option : command->get_options())
      option->transform(CLI::Validator(
          [name = name_of(*option)](const std::string& value) {
            if (value.empty()) refuse_empty(name);
            return std::string();
          },
          ""));
}

}  // namespace conformance
