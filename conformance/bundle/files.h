// SPDX-License-Identifier: BSD-3-Clause
//
// Writing an output file.
#pragma once

#include <filesystem>
#include <string>

namespace conformance {

// Writes a file atomically. An existing regular file is replaced only with `replace`, anything else never.
// Throws SetupError.
void write_new_file(const std::filesystem::path& file, const std::string& content, bool replace);

}  // namespace conformance
