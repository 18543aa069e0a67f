// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/report/stack.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "conformance/report/digest.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string hexadecimal(const unsigned char* bytes, size_t size) {
  std::string text;
  for (size_t i = 0; i < size; ++i) text += fmt::format("{:02x}", bytes[i]);
  return text;
}

// Notes are padded to four bytes.
constexpr size_t padded(size_t size) {
  return (size + 3) / 4 * 4;
}

// The note section of a 64-bit ELF file that the linker made of the GNU build id.
std::string build_id(const std::string& content) {
  ElfW(Ehdr) header{};
  if (content.size() < sizeof(header)) return {};
  std::memcpy(&header, content.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment{};
    const size_t at = header.e_phoff + size_t{i} * sizeof(segment);
    if (at + sizeof(segment) > content.size()) return {};
    std::memcpy(&segment, content.data() + at, sizeof(segment));
    if (segment.p_type != PT_NOTE) continue;
    size_t note_at = segment.p_offset;
    const size_t end = std::min(content.size(), note_at + segment.p_filesz);
    while (note_at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note{};
      std::memcpy(&note, content.data() + note_at, sizeof(note));
      const size_t name_at = note_at + sizeof(note);
      const size_t value_at = name_at + padded(note.n_namesz);
      if (value_at + note.n_descsz > end) break;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          std::memcmp(content.data() + name_at, "GNU", 4) == 0)
        return hexadecimal(reinterpret_cast<const unsigned char*>(content.data() + value_at), note.n_descsz);
      note_at = value_at + padded(note.n_descsz);
    }
  }
  return {};
}

// Debian's record of which package owns a file, read directly: asking dpkg costs a process and, in an
// emulated machine, seconds. Only the packages that can own a part of this stack are looked at.
class Packages {
 public:
  std::string owner_of(const fs::path& path) {
    for (const char* name : {"librpma0", "librdmacm1", "libibverbs1", "ibverbs-providers", "libnl-3-200",
                             "libnl-route-3-200", "libc6"}) {
      if (!owns(name, path)) continue;
      const std::string version = version_of(name);
      return version.empty() ? std::string() : fmt::format("{} {}", name, version);
    }
    return {};
  }

 private:
  static bool owns(const std::string& package, const fs::path& path) {
    const fs::path info = "/var/lib/dpkg/info";
    for (const std::string& list : {package + ":amd64.list", package + ".list"}) {
      std::ifstream file(info / list);
      for (std::string line; std::getline(file, line);)
        // /lib may be a link to /usr/lib: compare what follows.
        if (!line.empty() && (path == line || path == "/usr" + line || "/usr" + path.string() == line))
          return true;
    }
    return false;
  }

  std::string version_of(const std::string& package) {
    if (versions_.empty()) {
      std::ifstream status("/var/lib/dpkg/status");
      std::string current;
      for (std::string line; std::getline(status, line);) {
        if (line.starts_with("Package: ")) current = line.substr(9);
        if (line.starts_with("Version: ")) versions_[current] = line.substr(9);
      }
    }
    return versions_[package];
  }

  std::map<std::string, std::string> versions_;
};

std::string distribution() {
  std::ifstream file("/etc/os-release");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("PRETTY_NAME=")) continue;
    std::string value = line.substr(12);
    std::erase(value, '"');
    return value;
  }
  return "unknown";
}

std::string describe_device(const std::string& device) {
  const fs::path folder = fs::path("/sys/class/infiniband") / device;
  std::error_code error;
  if (!fs::exists(folder, error)) return device;
  std::string text = device;
  const std::pair<const char*, const char*> attributes[] = {{"board", "board_id"},
                                                            {"firmware", "fw_ver"},
                                                            {"netdev", "parent"},
                                                            {"port 1", "ports/1/state"},
                                                            {"link layer", "ports/1/link_layer"}};
  for (const auto& [name, file] : attributes)
    if (const std::string value = first_line(folder / file); !value.empty())
      text += fmt::format(", {} {}", name, value);
  const fs::path driver = fs::read_symlink(folder / "device/driver/module", error);
  if (!error)
    text += fmt::format(", driver {} {}", driver.filename().string(),
                        first_line(folder / "device/driver/module/version"));
  return text;
}

// libibverbs loads every installed driver library. The name of the device or of its kernel driver begins with
// the name of the library that serves it; if there is none, all stay.
bool serves(const fs::path& library, const std::string& device) {
  const std::string file = library.filename().string();
  const std::string name = file.substr(3, file.find("-rdmav") - 3);
  std::error_code error;
  const fs::path driver =
      fs::read_symlink(fs::path("/sys/class/infiniband") / device / "device/driver", error);
  return device.starts_with(name) || driver.filename().string().starts_with(name);
}

void drop_idle_drivers(std::vector<StackModule>& modules, const std::string& device) {
  const auto is_driver = [](const StackModule& module) { return module.role == "driver"; };
  const auto in_use = [&](const StackModule& module) {
    return is_driver(module) && serves(module.path, device);
  };
  if (std::ranges::any_of(modules, in_use))
    std::erase_if(modules, [&](const StackModule& module) { return is_driver(module) && !in_use(module); });
}

}  // namespace

Stack describe_stack(const Library& library, const Target& target, const Observation& control) {
  Stack stack;
  utsname name{};
  uname(&name);
  stack.kernel = fmt::format("{} {}", name.release, name.version);
  stack.distribution = distribution();
  stack.address = target.address;
  stack.device = target.provider == "mock" ? "" : describe_device(target.device);
  Packages packages;
  const size_t listed = std::min<size_t>(control.module_count, control.modules.size());
  for (size_t i = 0; i < listed; ++i) {
    const std::string path = control.modules.at(i).path.data();
    const std::string role = role_of(library, fs::path(path).filename());
    if (path.empty() || role == "other" || role == "harness") continue;
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    const std::string content = content_of(path);
    if (content.empty()) continue;  // the vdso has no file
    stack.modules.push_back(
        {role, path, packages.owner_of(error ? fs::path(path) : real), build_id(content), sha256(content)});
  }
  drop_idle_drivers(stack.modules, target.device);
  // The IUT first, then downwards.
  constexpr std::array<std::string_view, 7> order = {"iut",     "rdmacm", "ibverbs", "driver",
                                                     "netlink", "libc",   "loader"};
  std::ranges::stable_sort(stack.modules, {}, [&order](const StackModule& module) {
    return std::ranges::find(order, module.role) - order.begin();
  });
  return stack;
}

}  // namespace conformance
