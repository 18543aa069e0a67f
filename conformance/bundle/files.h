// SPDX-License-Identifier: BSD-3-Clause
//
// Files that somebody else may have put there, read and written with care.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace conformance {

// The content of a plain file: links, folders, devices and pipes are refused, and so is what is larger than
// `most` bytes. Nothing where there is no such file. Throws SetupError with one clear line.
std::optional<std::string> read_plain_file(const std::filesystem::path& file, size_t most);

// The same where it must be there; `what` it should be: "public key".
std::string need_plain_file(const std::filesystem::path& file, const std::string& what, size_t most);

// Writes a file that appears whole or not at all. A plain file that is there is replaced only where `replace`
// says so, anything else never. Throws SetupError.
void write_new_file(const std::filesystem::path& file, const std::string& content, bool replace);

}  // namespace conformance
