// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "conformance/harness/library.h"
#include "conformance/tool/commands.h"
#include "conformance/tool/suggest.h"

namespace conformance {

std::string roles_of_subject(const Library& library, const std::string& subject) {
  if (subject == "stack") return subject;
  const std::vector<std::string> kRoles = {"iut",     "rdmacm", "ibverbs", "driver",
                                           "netlink", "libc",   "loader",  "kernel"};
  std::vector<std::string> roles;
  std::istringstream names(subject);
  for (std::string name; std::getline(names, name, ',');) {
    const bool is_iut = name == "iut" || name == library.iut.soname ||
                        name == std::filesystem::path(library.iut.path).filename() ||
                        name == library.iut.path;
    std::string role = is_iut ? "iut" : name == "driver" || name == "kernel" ? name : "";
    for (const rdmafault_role& row : library.roles)
      if (role.empty() && (name == row.role || name == row.module)) role = row.role;
    if (role.empty() || role == "harness")
      throw SetupError(
          fmt::format("--judge {}: '{}' is not a subject; name stack alone, or {}, or their SONAMEs{}",
                      subject, name, fmt::join(kRoles, ", "), did_you_mean(name, kRoles)));
    if (std::ranges::find(roles, role) == roles.end()) roles.push_back(role);
  }
  if (roles.empty()) throw SetupError("--judge needs iut, stack, or modules separated by commas");
  return fmt::format("{}", fmt::join(roles, ","));
}

}  // namespace conformance
