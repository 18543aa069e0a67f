// SPDX-License-Identifier: BSD-3-Clause
//
// What librdmafault.so needs and exports, and its instructions for a disarmed call, as the binutils show
// them. Runs without the preload.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

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

TEST(Exports, NeedsOnlyLibc) {
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
    exported.insert(name);  // with its version, if it has one
  }
  EXPECT_EQ(expected, exported);
}

TEST(Exports, ThreadStateIsReachedWithoutACall) {
  const std::string symbols = readelf("--dyn-syms");
  ASSERT_NE(std::string::npos, symbols.find("rdmafault_arm"));
  EXPECT_EQ(std::string::npos, symbols.find("__tls_get_addr"));
}

// No lock, allocation or lookup by address is imported. dlsym is: it is called before a thread is armed.
TEST(Exports, NoLocksOrAllocatorsAreImported) {
  const std::string symbols = readelf("--dyn-syms");
  ASSERT_NE(std::string::npos, symbols.find("UND dlsym@"));
  for (const char* name :
       {"malloc", "calloc", "realloc", "free", "_Znwm", "mmap", "dladdr", "dladdr1", "_dl_find_object",
        "pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock", "pthread_spin_lock",
        "pthread_once", "pthread_getspecific", "__cxa_guard_acquire"})
    EXPECT_EQ(std::string::npos, symbols.find(std::string("UND ") + name + "@")) << name;
}

#if defined(__OPTIMIZE__) && defined(__x86_64__)

// The instructions from a function's entry to the jump to the next function.
std::vector<std::string> disarmed_path(const std::string& function) {
  std::istringstream lines(
      output_of("LC_ALL=C " OBJDUMP " --no-show-raw-insn --disassemble=" + function + " " RDMAFAULT_LIBRARY));
  std::vector<std::string> path;
  for (std::string line; std::getline(lines, line);) {
    const size_t tab = line.find(":\t");
    if (tab == std::string::npos) continue;
    path.push_back(line.substr(tab + 2));
    if (path.back().find('*') != std::string::npos) return path;
  }
  return {};
}

size_t count_of(const std::vector<std::string>& path, const char* first) {
  return static_cast<size_t>(
      std::ranges::count_if(path, [first](const std::string& line) { return line.starts_with(first); }));
}

// Load, test, branch, jump: no calls, no saved registers.
TEST(Disarmed, ACallIsForwardedInAFewInstructions) {
  constexpr size_t kMost = 5;
  for (const char* function : {"malloc", "calloc", "realloc", "reallocarray", "posix_memalign", "free",
                               "rdma_create_event_channel", "rdma_create_id", "rdma_listen"}) {
    SCOPED_TRACE(function);
    const std::vector<std::string> path = disarmed_path(function);
    ASSERT_FALSE(path.empty()) << "no jump was found";
    EXPECT_TRUE(path.back().starts_with("jmp")) << path.back();
    EXPECT_LE(path.size(), kMost);
    EXPECT_EQ(2U, count_of(path, "j")) << "one branch, and the jump";
    EXPECT_EQ(0U, count_of(path, "call") + count_of(path, "push"));
  }
}

#endif

}  // namespace
