// SPDX-License-Identifier: BSD-3-Clause
//
// Hashes of what a report stands on.
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
