// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/debian_version.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "conformance/harness/library.h"

namespace conformance {
namespace {

[[noreturn]] void give_up(const char* why) {
  throw SetupError(fmt::format(
      "cannot compare versions with dpkg: {}; install dpkg, or name build_id in the waiver", why));
}

// The texts come from files of other people: what begins like this is not an option, and needs no quotes.
bool is_version(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789";
  constexpr std::string_view kAllowed = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.+-~:";
  constexpr size_t kMostOfAVersion = 200;
  return !text.empty() && text.size() <= kMostOfAVersion &&
         kDigits.find(text.front()) != std::string_view::npos &&
         text.find_first_not_of(kAllowed) == std::string_view::npos;
}

bool is_at_most(std::string a, std::string b) {
  if (!is_version(a) || !is_version(b)) return false;
  if (a == b) return true;
  std::string words[] = {"dpkg", "--compare-versions", std::move(a), "le", std::move(b)};
  char* arguments[std::size(words) + 1] = {};
  std::ranges::transform(words, arguments, [](std::string& word) { return word.data(); });
  char* environment[] = {nullptr};  // in particular no LD_PRELOAD
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = -1;
  const int error = posix_spawnp(&pid, arguments[0], &quiet, nullptr, arguments, environment);
  posix_spawn_file_actions_destroy(&quiet);
  if (error != 0) give_up(std::strerror(error));
  int status = 0;
  while (waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) give_up(std::strerror(errno));
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  if (code != 0 && code != 1) give_up("it failed");
  return code == 0;
}

}  // namespace

bool is_between(const std::string& from, const std::string& version, const std::string& to) {
  return is_at_most(from, version) && is_at_most(version, to);
}

}  // namespace conformance
