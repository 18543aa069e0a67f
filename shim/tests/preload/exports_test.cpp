// SPDX-License-Identifier: BSD-3-Clause
//
// What librdmafault.so needs and exports, as readelf shows it. Runs without the preload.
#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <set>
#include <sstream>
#include <string>

#include "shim/rdmafault.h"

namespace {

std::string output_of(const std::string& command) {
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  std::string output;
  char part[4096];
  while (pipe != nullptr && std::fgets(part, sizeof(part), pipe.get()) != nullptr) output += part;
  return output;
}

std::string readelf(const std::string& options) {
  return output_of(std::string("LC_ALL=C " READELF " -W ") + options + " " RDMAFAULT_LIBRARY);
}

TEST(Exports, NeedsLibcAlone) {
  std::istringstream lines(readelf("--dynamic"));
  std::set<std::string> needed;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("(NEEDED)") == std::string::npos) continue;
    needed.insert(line.substr(line.find('[') + 1, line.find(']') - line.find('[') - 1));
  }
  EXPECT_EQ(std::set<std::string>{"libc.so.6"}, needed);
}

// readelf's columns: Num, Value, Size, Type, Bind, Vis, Ndx, Name.
TEST(Exports, AreTheInterposedNamesAndTheControlInterface) {
  std::set<std::string> expected = {"rdmafault_arm",      "rdmafault_disarm",   "rdmafault_functions",
                                    "rdmafault_log_init", "rdmafault_log_size", "rdmafault_missing",
                                    "rdmafault_parse",    "rdmafault_resume",   "rdmafault_rule_fires",
                                    "rdmafault_suspend"};
  size_t count = 0;
  const rdmafault_function* functions = rdmafault_functions(&count);
  for (size_t i = 0; i < count; ++i) {
    if (functions[i].kind != RDMAFAULT_SYSTEM_CALL) expected.insert(functions[i].name);
  }

  std::istringstream lines(readelf("--dyn-syms"));
  std::set<std::string> exported;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream columns(line);
    std::string number, value, size, type, binding, visibility, section, name;
    columns >> number >> value >> size >> type >> binding >> visibility >> section >> name;
    if (name.empty() || section == "UND" || section == "Ndx") continue;
    exported.insert(name);  // with its version, if it had one
  }
  EXPECT_EQ(expected, exported);
}

TEST(Exports, ThreadStateIsReachedWithoutACall) {
  const std::string symbols = readelf("--dyn-syms");
  ASSERT_NE(std::string::npos, symbols.find("rdmafault_arm"));
  EXPECT_EQ(std::string::npos, symbols.find("__tls_get_addr"));
}

}  // namespace
