// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/options.h"

#include <algorithm>
#include <string_view>
#include <thread>

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

std::vector<std::string> surroundings_of(const RunOptions& options) {
  const RunOptions defaults;
  std::vector<std::string> words = {"--provider", options.provider};
  const auto add = [&words](const char* name, const std::string& value, const std::string& otherwise) {
    if (value != otherwise) words.insert(words.end(), {name, value});
  };
  add("--device", options.device, "");
  add("--addr", options.address, "");
  add("--librpma", options.librpma, "");
  add("--rdma-core", options.rdma_core, "");
  add("--kernel", options.kernel, "");
  add("--judge", options.subject, defaults.subject);
  add("--timeout", std::to_string(options.timeout), std::to_string(defaults.timeout));
  if (options.allow_disruptive) words.emplace_back("--allow-disruptive");
  if (options.in_machine) words.emplace_back("--in-machine");
  return words;
}

std::string as_typed(const RunOptions& options) {
  RunOptions outer = options;
  if (options.in_machine) {
    outer.in_machine = outer.allow_disruptive = false;
    outer.device.clear();
  }
  std::string text;
  for (const std::string& word : surroundings_of(outer)) text += (text.empty() ? "" : " ") + quoted(word);
  return text;
}

unsigned jobs_of(const RunOptions& options) {
  constexpr unsigned kMost = 16;  // more find a device busy rather than fast
  return options.jobs > 0 ? options.jobs : std::clamp(std::thread::hardware_concurrency(), 1u, kMost);
}

Parts find_parts() {
  Parts parts;
  parts.program = std::filesystem::read_symlink("/proc/self/exe");
  const std::filesystem::path prefix = parts.program.parent_path().parent_path();
  parts.shim = prefix / "lib/rpma-conformance/librdmafault.so";
  parts.mock = prefix / "lib/rpma-conformance/librdmamock.so";
  parts.reference = prefix / "lib/rpma-conformance/librpma-reference.so";
  parts.defects = prefix / "lib/rpma-conformance/librpma-defects.so";
  parts.profiles = prefix / "share/rpma-conformance/profiles";
  parts.machine = prefix / "share/rpma-conformance/rxe/machine";
  return parts;
}

}  // namespace conformance
