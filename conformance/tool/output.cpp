// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/tool/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/harness/verdict.h"

namespace conformance {
namespace {

constexpr int kFirstFreeDescriptor = 3;
constexpr size_t kWordsBeforeAVerdict = 5;  // "verdict on the stack: fail"

OutputOptions current;
int real_output = -1;  // standard output, where it is not what is printed to
bool colors = false;

bool wants_colors(const std::string& color) {
  if (color != "auto") return color == "always";
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) == 1 && (no_color == nullptr || *no_color == '\0') && terminal != nullptr &&
         std::string_view(terminal) != "dumb";
}

const char* color_of(Verdict verdict) {
  if (verdict == Verdict::Pass) return "32";  // green
  return is_finding(verdict) ? "31" : "33";   // red, yellow
}

std::string painted_line(std::string_view line) {
  size_t begin = 0;
  for (size_t words = 0; words < kWordsBeforeAVerdict; ++words) {
    begin = line.find_first_not_of(' ', begin);
    if (begin == std::string_view::npos) break;
    const size_t end = std::min(line.find(' ', begin), line.size());
    if (const auto verdict = verdict_named(std::string(line.substr(begin, end - begin))))
      return fmt::format("{}\033[{}m{}\033[0m{}", line.substr(0, begin), color_of(*verdict),
                         line.substr(begin, end - begin), line.substr(end));
    begin = end;
  }
  return std::string(line);
}

}  // namespace

void set_output(const OutputOptions& options) {
  current = options;
  colors = wants_colors(options.color);
  if (!wants_json()) return;
  std::fflush(stdout);
  real_output = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kFirstFreeDescriptor);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

bool wants_json() {
  return current.format == "json";
}
bool is_quiet() {
  return current.quiet;
}
bool is_verbose() {
  return current.verbose;
}

void print_document(const nlohmann::ordered_json& document) {
  const RealOutput output;
  fmt::print("{}\n", document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string painted(std::string_view text) {
  if (!colors) return std::string(text);
  std::string all;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    all += painted_line(text.substr(0, end));
    if (end < text.size()) all += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return all;
}

std::vector<std::string> output_words() {
  std::vector<std::string> words = {colors ? "--color=always" : "--color=never"};
  if (wants_json()) words.emplace_back("--format=json");
  if (is_quiet()) words.emplace_back("--quiet");
  if (is_verbose()) words.emplace_back("--verbose");
  return words;
}

RealOutput::RealOutput() {
  if (real_output < 0) return;
  std::fflush(stdout);
  dup2(real_output, STDOUT_FILENO);
}

RealOutput::~RealOutput() {
  if (real_output < 0) return;
  std::fflush(stdout);
  dup2(STDERR_FILENO, STDOUT_FILENO);
}

}  // namespace conformance
