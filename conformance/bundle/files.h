// SPDX-License-Identifier: BSD-3-Clause
//
// Writing a file for somebody else.
#pragma once

#include <filesystem>
#include <string>

namespace conformance {

// Writes a file that appears whole or not at all. A regular file that is there is replaced only where
// `replace` says so, anything else never. Throws SetupError.
void write_new_file(const std::filesystem::path& file, const std::string& content, bool replace);

}  // namespace conformance
