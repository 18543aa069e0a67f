// SPDX-License-Identifier: BSD-3-Clause
//
// Hashes of files that a report names.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace conformance {

// SHA-256, hexadecimal.
std::string sha256(std::string_view content);

// The whole of a file; empty where it cannot be read.
std::string content_of(const std::filesystem::path& file);

}  // namespace conformance
