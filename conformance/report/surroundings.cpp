// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/surroundings.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <vector>

namespace conformance {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::string first_line(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

Json limits() {
  struct Row {
    const char* name;
    __rlimit_resource resource;
  };
  constexpr Row kRows[] = {{"open files", RLIMIT_NOFILE},
                           {"locked memory", RLIMIT_MEMLOCK},
                           {"processes", RLIMIT_NPROC},
                           {"address space", RLIMIT_AS}};
  Json all = Json::object();
  for (const Row& row : kRows) {
    rlimit limit{};
    getrlimit(row.resource, &limit);
    all[row.name] = limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{}", limit.rlim_cur);
  }
  return all;
}

// Of an ELF note. Modules of a distribution's kernel have a build id, but no version.
std::string build_id_in(const fs::path& note) {
  std::ifstream file(note, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  constexpr size_t kHeader = 3 * sizeof(uint32_t) + sizeof("GNU");
  std::string text;
  for (size_t i = kHeader; i < bytes.size(); ++i)
    text += fmt::format("{:02x}", static_cast<unsigned char>(bytes[i]));
  return text;
}

// Modules with an RDMA name, and the device's driver.
Json kernel_modules(const fs::path& device) {
  std::error_code error;
  const std::string driver = fs::read_symlink(device / "device/driver/module", error).filename();
  constexpr std::string_view kPrefixes[] = {"ib_",  "rdma_", "iw_", "siw", "mlx",
                                            "bnxt", "irdma", "qed", "hns", "efa"};
  Json modules = Json::array();
  for (const fs::path& module : sorted_entries("/sys/module")) {
    const std::string name = module.filename();
    const auto begins = [&name](std::string_view prefix) { return name.starts_with(prefix); };
    if (name != driver && std::ranges::none_of(kPrefixes, begins)) continue;
    modules.push_back({{"name", name},
                       {"version", first_line(module / "version")},
                       {"srcversion", first_line(module / "srcversion")},
                       {"build_id", build_id_in(module / "notes/.note.gnu.build-id")}});
  }
  return modules;
}

// The tables have a thousand entries; most are empty.
Json gids(const fs::path& device) {
  Json all = Json::array();
  for (const fs::path& port : sorted_entries(device / "ports"))
    for (const fs::path& entry : sorted_entries(port / "gids")) {
      const std::string gid = first_line(entry);
      if (gid.find_first_not_of("0:") == std::string::npos) continue;
      const std::string index = entry.filename();
      all.push_back({{"port", port.filename().string()},
                     {"index", index},
                     {"gid", gid},
                     {"type", first_line(port / "gid_attrs/types" / index)},
                     {"netdev", first_line(port / "gid_attrs/ndevs" / index)}});
    }
  return all;
}

Json attributes(const fs::path& device) {
  Json all = Json::object();
  const auto add = [&all](const std::string& name, const fs::path& file) {
    if (const std::string value = first_line(file); !value.empty()) all[name] = value;
  };
  for (const char* name : {"board_id", "fw_ver", "hca_type", "hw_rev", "node_type", "node_guid", "parent"})
    add(name, device / name);
  for (const char* name : {"vendor", "device", "subsystem_vendor", "subsystem_device", "numa_node"})
    add(fmt::format("pci {}", name), device / "device" / name);
  for (const fs::path& port : sorted_entries(device / "ports"))
    for (const char* name : {"state", "phys_state", "rate", "link_layer"})
      add(fmt::format("port {} {}", port.filename().string(), name), port / name);
  return all;
}

}  // namespace

Json describe_surroundings(const std::string& device) {
  Json all = {{"limits", limits()}};
  if (device.empty()) return all;
  const fs::path folder = fs::path("/sys/class/infiniband") / device;
  all["device"] = attributes(folder);
  all["gids"] = gids(folder);
  all["kernel_modules"] = kernel_modules(folder);
  return all;
}

}  // namespace conformance
