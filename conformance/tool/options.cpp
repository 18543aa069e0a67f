// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/options.h"

#include <string_view>

namespace conformance {

namespace {

std::string quoted(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,%=+@";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

}  // namespace

std::string surroundings_of(const RunOptions& options) {
  const RunOptions defaults;
  std::string command = "--provider " + options.provider;
  const auto add = [&command](const char* name, const std::string& value, const std::string& otherwise) {
    if (value != otherwise) command += std::string(" ") + name + " " + quoted(value);
  };
  // In the machine the device is given, and a user leaves it out.
  add("--device", options.in_machine ? "" : options.device, "");
  add("--addr", options.address, "");
  add("--librpma", options.librpma, "");
  add("--rdma-core", options.rdma_core, "");
  add("--kernel", options.kernel, "");
  add("--judge", options.subject, defaults.subject);
  add("--timeout", std::to_string(options.timeout), std::to_string(defaults.timeout));
  if (options.allow_disruptive && !options.in_machine) command += " --allow-disruptive";
  return command;
}

Parts find_parts() {
  Parts parts;
  parts.program = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path prefix = parts.program.parent_path().parent_path();
  parts.shim = prefix / "lib/rpma-conformance/librdmafault.so";
  parts.mock = prefix / "lib/rpma-conformance/librdmamock.so";
  parts.reference = prefix / "lib/rpma-conformance/librpma-reference.so";
  parts.defects = prefix / "lib/rpma-conformance/librpma-defects.so";
  parts.machine = prefix / "share/rpma-conformance/rxe/machine";
  return parts;
}

}  // namespace conformance
