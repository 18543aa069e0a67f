// SPDX-License-Identifier: BSD-3-Clause
//
// Runs a command in surroundings that lack a feature of the kernel:
//
//     lacking ipv6|pidfd_open|dispatch COMMAND...
//
// A seccomp filter makes the feature's system call fail as a kernel without it does.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string_view>

namespace {

constexpr uint32_t kAny = 0;
constexpr uint32_t kThis = UINT32_MAX;

struct Feature {
  std::string_view name;
  uint32_t number;    // of the system call
  uint32_t mask;      // which bits of its first argument count
  uint32_t argument;  // their value
  uint32_t error;
};

constexpr Feature kFeatures[] = {
    {"ipv6", SYS_socket, kThis, AF_INET6, EAFNOSUPPORT},
    {"pidfd_open", SYS_pidfd_open, kAny, 0, ENOSYS},
    {"dispatch", SYS_prctl, kThis, PR_SET_SYSCALL_USER_DISPATCH, EINVAL},
};

bool take_away(const Feature& feature) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, feature.number, 0, 4),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args)),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, feature.mask),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, feature.argument, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | feature.error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog all = {std::size(program), program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all, 0, 0) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const auto* const feature = std::ranges::find(kFeatures, std::string_view(argv[1]), &Feature::name);
  if (feature == std::end(kFeatures) || !take_away(*feature)) {
    std::fprintf(stderr, "lacking: cannot take '%s' away\n", argv[1]);
    return 2;
  }
  execvp(argv[2], argv + 2);
  std::perror(argv[2]);
  return 2;
}
