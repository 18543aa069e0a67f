// SPDX-License-Identifier: BSD-3-Clause
//
// What the values of options must be, beside what CLI11 checks.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace conformance {

// Each: empty, or what is wrong with the text.
std::string is_no_shard(const std::string& text);
std::string is_no_profile_version(const std::string& text);
std::string is_no_seed(const std::string& text);

// From here on, parsing throws SetupError for an empty value of any option or argument of a command. For a
// script whose variable is not set, it would mean the same as none: a bundle that nobody signed. `words`:
// what will be parsed; throws for those that end after "--option=".
void refuse_empty_values(CLI::App& app, std::span<const char* const> words);

}  // namespace conformance
