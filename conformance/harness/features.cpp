// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/features.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "conformance/harness/conditions.h"
#include "conformance/harness/library.h"

namespace conformance {
namespace {

bool is_descriptor(long result) {
  if (result >= 0) close(static_cast<int>(result));
  return result >= 0;
}

bool has_pidfd() {
  return is_descriptor(syscall(SYS_pidfd_open, getpid(), 0));
}

bool has_dispatch() {
  return prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0) == 0;
}

bool has_ipv6() {
  return is_descriptor(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

// As the conditions of the device node do it, in a process of its own.
bool has_mounts() {
  const pid_t pid = fork();
  if (pid == 0) {
    const bool done = unshare(CLONE_NEWNS) == 0 &&
                      mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                      mount("tmpfs", "/dev", "tmpfs", 0, "mode=755") == 0 &&
                      mknod("/dev/null", S_IFCHR | 0600, makedev(1, 3)) == 0 &&
                      is_descriptor(open("/dev/null", O_RDWR | O_CLOEXEC));
    _exit(done ? 0 : 1);
  }
  int status = 1;
  return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

constexpr Feature kFeatures[] = {
    {"pidfd_open", "the system call pidfd_open", "allow it in the container's seccomp profile", true,
     has_pidfd},
    {"dispatch", "Syscall User Dispatch", "use a kernel from 5.11 on, and allow prctl in the seccomp profile",
     false, has_dispatch},
    {"IPv6", "IPv6 sockets", "boot without ipv6.disable=1", false, has_ipv6},
    {kMounts, "mount namespaces and device nodes of a process's own",
     "run it as root with CAP_SYS_ADMIN and CAP_MKNOD, outside of an unprivileged container", false,
     has_mounts},
};

}  // namespace

std::span<const Feature> features() {
  return kFeatures;
}

std::string missing_feature(std::string_view name) {
  static std::map<std::string_view, bool> known;
  const auto* const row = std::ranges::find(kFeatures, name, &Feature::name);
  if (row == std::end(kFeatures)) throw std::logic_error(fmt::format("there is no feature {}", name));
  if (!known.contains(row->name)) known[row->name] = row->is_there();
  return known[row->name] ? "" : fmt::format("this host lacks {}; {}", row->what, row->hint);
}

void need_features() {
  for (const Feature& feature : kFeatures)
    if (const std::string missing = feature.needed ? missing_feature(feature.name) : ""; !missing.empty())
      throw SetupError(missing);
}

std::string unsupported_address(std::string_view address, const Target& target) {
  const bool is_ipv6 = address.find(':') != std::string_view::npos;
  return is_ipv6 && target.provider != "mock" ? missing_feature("IPv6") : "";  // the mock knows all addresses
}

std::string unsupported(const Experiment& experiment, const Target& target) {
  std::string why;
  if (const Condition* condition = find_condition(experiment.condition); condition != nullptr) {
    why = not_allowed(*condition, target);
    if (why.empty() && !condition->feature.empty()) why = missing_feature(condition->feature);
    if (why.empty()) why = unsupported_address(parameter_of(experiment.condition), target);
  }
  if (why.empty()) why = experiment.operation->unsupported(target);
  if (why.empty() && experiment.sees_system_calls()) why = missing_feature("dispatch");
  return why;
}

}  // namespace conformance
