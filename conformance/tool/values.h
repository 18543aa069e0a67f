// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of option values that CLI11 does not have.
#pragma once

#include <span>
#include <string>

namespace CLI {
class App;
}

namespace conformance {

// Each returns an error message, or nothing.
std::string shard_error(const std::string& text);
std::string profile_version_error(const std::string& text);
std::string seed_error(const std::string& text);
// A pattern that selects or leaves out no test of the suite is a mistake.
std::string filter_error(const std::string& filter);

// Makes parsing throw SetupError for an empty value of any option or argument. Otherwise a script with an
// unset variable would, for example, make an unsigned bundle. `words`: what will be parsed; throws for
// "--option=".
void refuse_empty_values(CLI::App& app, std::span<char* const> words);

}  // namespace conformance
