// SPDX-License-Identifier: BSD-3-Clause
//
// What this host can run, what is missing, and the command that mends it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

#include "conformance/tool/commands.h"
#include "conformance/tool/target.h"
#include "mocks/rdmamock.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

enum Needs : unsigned { kForMock = 1, kForRxe = 2, kForHw = 4, kForAll = 7, kForNobody = 0 };

struct Need {
  unsigned needed_by;
  std::string what;
  bool there;
  std::string remedy;
};

bool can_load(const char* library) {
  return dlopen(library, RTLD_NOW | RTLD_LOCAL) != nullptr;
}

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  // Where root's programs are, for those whose PATH leaves them out.
  return access(("/usr/sbin/" + program).c_str(), X_OK) == 0 ||
         access(("/sbin/" + program).c_str(), X_OK) == 0;
}

std::vector<Need> checks() {
  const Parts parts = find_parts();
  const std::vector<std::string> devices = rdma_devices();
  std::vector<Need> all = {
      {kForAll, "the shim: " + parts.shim.string(), fs::exists(parts.shim),
       "build or install rpma-conformance again"},
      {kForMock, "the mock: " + parts.mock.string(), fs::exists(parts.mock),
       "build or install rpma-conformance again"},
      {kForAll, "librpma.so.0", can_load("librpma.so.0"), "apt-get install librpma0 (or run --librpma FILE)"},
      {kForAll, "librdmacm.so.1", can_load("librdmacm.so.1"),
       "apt-get install librdmacm1 (or run --rdma-core DIR)"},
      {kForAll, "libibverbs.so.1", can_load("libibverbs.so.1"),
       "apt-get install libibverbs1 (or run --rdma-core DIR)"},
      {kForRxe | kForHw, "driver libraries of libibverbs",
       fs::exists("/usr/lib/x86_64-linux-gnu/libibverbs") || fs::exists("/usr/lib64/libibverbs"),
       "apt-get install ibverbs-providers"},
      {kForRxe, "the rxe machine: " + parts.machine.string(), fs::exists(parts.machine),
       "build or install rpma-conformance again"},
  };
  struct Program {
    const char* name;
    const char* package;
  };
  // As fixtures/rxe/machine calls them.
  constexpr Program kPrograms[] = {{"qemu-system-x86_64", "qemu-system-x86"},
                                   {"busybox", "busybox-static"},
                                   {"dropbear", "dropbear-bin"},
                                   {"ssh", "openssh-client"},
                                   {"rdma", "iproute2"},
                                   {"xz", "xz-utils"}};
  for (const auto& [name, package] : kPrograms)
    all.push_back({kForRxe, name, in_path(name), fmt::format("apt-get install {}", package)});
  all.push_back({kForHw,
                 devices.empty() ? "an RDMA device of this host"
                                 : fmt::format("RDMA devices: {}", fmt::join(devices, ", ")),
                 !devices.empty(), "load the card's driver; 'rdma link' shows what the kernel has"});
  all.push_back({kForHw, "/dev/infiniband/rdma_cm, readable and writable",
                 access("/dev/infiniband/rdma_cm", R_OK | W_OK) == 0,
                 "modprobe rdma_ucm; run as root or as a member of the rdma group"});
  all.push_back({kForHw, "root", geteuid() == 0, "run it as root (sudo)"});
  all.push_back({kForNobody, "/dev/kvm (the rxe machine starts faster where it works)",
                 access("/dev/kvm", R_OK | W_OK) == 0, "not needed: emulation is used instead"});
  return all;
}

bool can_run(const std::vector<Need>& all, unsigned provider) {
  return std::ranges::none_of(
      all, [provider](const Need& check) { return (check.needed_by & provider) != 0 && !check.there; });
}

}  // namespace

int doctor(const std::string& provider) {
  struct Row {
    const char* name;
    unsigned bit;
  };
  const std::vector<Need> all = checks();
  for (const Need& check : all) {
    fmt::print("{:<8} {}\n",
               check.there                     ? "ok"
               : check.needed_by == kForNobody ? "absent"
                                               : "missing",
               check.what);
    if (!check.there) fmt::print("         {}\n", check.remedy);
  }
  bool wanted = true;
  for (const auto& [name, bit] : {Row{"mock", kForMock}, Row{"rxe", kForRxe}, Row{"hw", kForHw}}) {
    const bool runs = can_run(all, bit);
    fmt::print("{} rpma-conformance run --provider {}{}\n", runs ? "can run:   " : "cannot run:", name,
               bit == kForHw ? " --device NAME" : "");
    if (provider == name) wanted = runs;
  }
  for (const std::string& device : rdma_devices())
    fmt::print("device {}: {}\n", device, fmt::join(addresses_of(device), ", "));
  return wanted ? kConforms : kIncomplete;
}

}  // namespace conformance
