// SPDX-License-Identifier: BSD-3-Clause
//
// What this host can run, what is missing, and the command that installs it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "conformance/harness/features.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/output.h"
#include "conformance/tool/target.h"
#include "mocks/rdmamock.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

enum Needs : unsigned { kForMock = 1, kForRxe = 2, kForHw = 4, kForAll = 7, kOptional = 0 };

struct Need {
  unsigned needed_by;
  std::string what;
  bool there;
  std::string hint;
};

bool can_load(const char* library) {
  return dlopen(library, RTLD_NOW | RTLD_LOCAL) != nullptr;
}

bool in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((fs::path(folder) / program).c_str(), X_OK) == 0) return true;
  // An ordinary user's PATH may leave these out.
  return access(("/usr/sbin/" + program).c_str(), X_OK) == 0 ||
         access(("/sbin/" + program).c_str(), X_OK) == 0;
}

std::vector<Need> checks() {
  std::error_code no_error;
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
  all.push_back(
      {kForHw, "root", geteuid() == 0,
       "run as root (sudo); without, the kernel log is not watched and a run is incomplete (exit code 3)"});
  for (const Feature& feature : features())
    all.push_back(
        {feature.needed ? kForAll : kOptional,
         fmt::format("{}{}", feature.what, feature.needed ? "" : " (or some tests are unsupported)"),
         missing_feature(feature.name).empty(), std::string(feature.hint)});
  all.push_back({kOptional, "/dev/kvm (the rxe machine starts faster where it works)",
                 fs::is_character_file("/dev/kvm", no_error) && access("/dev/kvm", R_OK | W_OK) == 0,
                 "not needed: emulation is used instead"});
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
  constexpr Row kRows[] = {{"mock", kForMock}, {"rxe", kForRxe}, {"hw", kForHw}};
  const bool works = std::ranges::all_of(
      kRows, [&](const Row& row) { return provider != row.name || can_run(all, row.bit); });
  if (wants_json()) {
    nlohmann::ordered_json needs = nlohmann::ordered_json::array();
    for (const Need& need : all)
      needs.push_back({{"what", need.what},
                       {"present", need.there},
                       {"optional", need.needed_by == kOptional},
                       {"hint", need.there ? "" : need.hint}});
    nlohmann::ordered_json providers;
    for (const auto& [name, bit] : kRows) providers[name] = can_run(all, bit);
    nlohmann::ordered_json devices = nlohmann::ordered_json::object();
    for (const std::string& device : rdma_devices()) devices[device] = addresses_of(device);
    print_document({{"schema", "rpma-conformance-doctor/1"},
                    {"can_run", providers},
                    {"needs", needs},
                    {"devices", devices}});
    return works ? kConforms : kIncomplete;
  }
  for (const Need& check : all) {
    fmt::print("{:<8} {}\n",
               check.there                    ? "ok"
               : check.needed_by == kOptional ? "absent"
                                              : "missing",
               check.what);
    if (!check.there) fmt::print("         {}\n", check.hint);
  }
  for (const auto& [name, bit] : kRows)
    fmt::print("{} rpma-conformance run --provider {}{}\n",
               can_run(all, bit) ? "can run:   " : "cannot run:", name,
               bit == kForHw ? " --device NAME" : "");
  for (const std::string& device : rdma_devices())
    fmt::print("device {}: {}\n", device, fmt::join(addresses_of(device), ", "));
  return works ? kConforms : kIncomplete;
}

}  // namespace conformance
