// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "conformance/harness/library.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"

namespace conformance {
namespace {

constexpr const char* kPreload = "LD_PRELOAD";
constexpr const char* kLibraryPath = "LD_LIBRARY_PATH";
// Set for the second start, so that a preload that fails cannot make a loop.
constexpr const char* kStarted = "RPMA_CONFORMANCE_PRELOADED";

void prepend(const char* variable, const std::string& value) {
  const char* old = std::getenv(variable);
  setenv(variable, (old != nullptr && *old != '\0' ? value + ":" + old : value).c_str(), 1);
}

void need(const std::filesystem::path& part) {
  if (!std::filesystem::exists(part))
    throw SetupError(
        fmt::format("{} is missing; build the whole project, or install it again", part.string()));
  // Both characters separate names in LD_PRELOAD.
  if (part.string().find_first_of(": ") != std::string::npos)
    throw SetupError(fmt::format(
        "{} cannot be preloaded: its path has a colon or a space; install it elsewhere", part.string()));
}

}  // namespace

void with_preload(const RunOptions& options, char** argv) {
  const bool again = std::getenv(kStarted) != nullptr;
  if (again) {
    // Programs that this one starts run without the shim.
    for (const char* variable : {kPreload, kStarted}) unsetenv(variable);
    if (shim_is_preloaded()) return;
    throw SetupError(
        "the shim was preloaded but is not there: the program is setuid, or was built static or with a "
        "sanitizer; use an ordinary build");
  }
  const Parts parts = find_parts();
  need(parts.shim);
  std::string preload = parts.shim;
  if (options.provider == "mock") {
    need(parts.mock);
    preload += ":" + parts.mock.string();
  }
  prepend(kPreload, preload);
  if (!options.rdma_core.empty()) prepend(kLibraryPath, std::filesystem::absolute(options.rdma_core));
  setenv(kStarted, "1", 1);
  const RealOutput output;
  execv(parts.program.c_str(), argv);  // under valgrind /proc/self/exe is valgrind itself
  throw SetupError(fmt::format("cannot start {} again: {}", parts.program.string(), strerror(errno)));
}

}  // namespace conformance
