// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/plain.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "conformance/report/document.h"

namespace conformance {
namespace {

// One character, in UTF-8.
bool is_text(std::string_view character) {
  if (character.size() == 1) return character == "\n" || (character >= " " && character < "\x7f");
  if (character.size() == 2) return character >= "\xc2\xa0";  // beyond the second set of controls
  constexpr std::array<std::string_view, 4> kNone = {"\u2028", "\u2029", "\xef\xbf\xbe", "\xef\xbf\xbf"};
  return std::ranges::find(kNone, character) == kNone.end();
}

size_t length_of_character(char first) {
  const auto lead = static_cast<unsigned char>(first);
  if (lead < 0x80) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

// The options that lead to the stack of the run, as far as it shows them: the system's own libraries are
// found without any.
std::string options_of(const RunResult& run) {
  std::string options = "--provider " + shell_quoted(run.provider);
  if (run.provider == "hw") {
    const std::string& device = run.stack.device;
    options += " --device " + shell_quoted(device.substr(0, device.find_first_of(", ")));
  }
  if (run.provider != "mock" && !run.stack.address.empty())
    options += " --addr " + shell_quoted(run.stack.address);
  for (const StackModule& module : run.stack.modules) {
    if (module.path.starts_with("/lib/") || module.path.starts_with("/usr/lib/")) continue;
    if (module.role == "iut") options += " --librpma " + shell_quoted(module.path);
    if (module.role == "rdmacm" && run.provider != "mock")
      options += " --rdma-core " + shell_quoted(std::filesystem::path(module.path).parent_path().string());
  }
  return options;
}

}  // namespace

std::string printable(std::string_view text) {
  const std::string valid = as_utf8(text);
  std::string safe;
  for (size_t at = 0; at < valid.size();) {
    const std::string_view character = std::string_view(valid).substr(at, length_of_character(valid[at]));
    at += character.size();
    safe += is_text(character) ? character : "?";
  }
  return safe;
}

std::string shell_quoted(std::string_view word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:,%=+@";
  if (!word.empty() && word.find_first_not_of(plain) == std::string_view::npos) return std::string(word);
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

std::string again_command(const RunResult& run, const ClauseResult& clause) {
  // What the kernel did belongs to the run as a whole.
  if (clause.module == "kernel") return "rpma-conformance run " + options_of(run);
  if (clause.points.empty()) return "";
  return fmt::format("rpma-conformance replay {} {}", options_of(run), shell_quoted(clause.first_point()));
}

std::string unfinished_because(const RunResult& run) {
  std::string why;
  if (run.tests.empty())
    why = "nothing ran";
  else if (run.tests.size() < run.selected)
    why = fmt::format("{} of {} selected tests did not run", run.selected - run.tests.size(), run.selected);
  if (run.interrupted.empty()) return why;
  return fmt::format("{} ended it early{}{}", run.interrupted, why.empty() ? "" : ": ", why);
}

}  // namespace conformance
