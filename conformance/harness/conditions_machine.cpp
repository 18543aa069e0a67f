// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions: the device or its network interface is gone. They change the whole machine and then restore the
// state that fixtures/rxe/guest/init sets up, so they need the same configuration: link rxe0 on dummy0.
//
// How a process gets no device (kernel 6.1): after `rdma system set netns exclusive` libibverbs (netlink),
// librdmacm and rdma_cm see a device only in its own network namespace. The child moves to a new namespace
// that has the address on an interface but no device. Two other ways do not work: unloading rdma_rxe is
// refused while the peer's context is open; deleting the link empties the list of devices, but does not
// finish while a context is open, so it cannot be undone before the next call.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "conformance/harness/imposing.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

// The configuration of the rxe machine.
constexpr std::string_view kDevice = "rxe0";
constexpr const char* kInterface = "dummy0";
constexpr const char* kAddress6 = "2001:db8::1/64";
constexpr const char* kLink = "/sys/class/infiniband/rxe0";
constexpr const char* kGids = "/sys/class/infiniband/rxe0/ports/1/gids";
constexpr std::array<std::string_view, 3> kWantedGids = {"fe80:0000:0000:0000:0000:00ff:fe00:0201",
                                                         "0000:0000:0000:0000:0000:ffff:c000:0201",
                                                         "2001:0db8:0000:0000:0000:0000:0000:0001"};
constexpr int kGidsLooked = 10;  // of about 1000; the wanted ones are among the first
constexpr std::chrono::seconds kPatience{20};

using Words = std::vector<const char*>;

pid_t start(const Words& words) {
  std::vector<char*> arguments;
  for (const char* word : words) arguments.push_back(const_cast<char*>(word));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  pid_t process = -1;
  const int error = posix_spawnp(&process, words.front(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? process : -1;
}

bool run(const Words& words) {
  const pid_t process = start(words);
  int status = -1;
  return process > 0 && waitpid(process, &status, 0) == process && status == 0;
}

void must_run(const Words& words) {
  if (!run(words)) throw std::runtime_error(fmt::format("'{}' failed", fmt::join(words, " ")));
}

template <class Test>
bool comes_true(Test test) {
  const auto deadline = Clock::now() + kPatience;
  while (!test()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

void want_our_machine(const Target& target) {
  std::ifstream parent(fs::path(kLink) / "parent");
  std::string interface;
  std::getline(parent, interface);
  if (target.device != kDevice || interface != kInterface)
    throw std::runtime_error(fmt::format(
        "this condition needs the soft-RoCE link {} on {}, as in the rxe machine", kDevice, kInterface));
}

// Whether the device list has the link. It is already empty while a deletion is running.
bool is_listed() {
  return run({"rdma", "link", "show", "rxe0/1"});
}

bool has_gid(std::string_view wanted) {
  for (int i = 0; i < kGidsLooked; ++i) {
    std::ifstream file(fmt::format("{}/{}", kGids, i));
    std::string gid;
    if (std::getline(file, gid) && gid == wanted) return true;
  }
  return false;
}

bool has_gids() {
  return std::ranges::all_of(kWantedGids, has_gid);
}

std::string bring_interface_up() {
  if (!run({"ip", "link", "set", kInterface, "up"}))
    return fmt::format("interface {} does not come up", kInterface);
  // The kernel removed this address when the interface went down. If it is still there, this fails: no harm.
  run({"ip", "addr", "add", kAddress6, "dev", kInterface, "nodad"});
  return comes_true(has_gids) ? "" : fmt::format("device {} does not get its GIDs", kDevice);
}

class InterfaceDown : public Imposed {
 public:
  InterfaceDown() { must_run({"ip", "link", "set", kInterface, "down"}); }
  std::string lift() override { return bring_interface_up(); }
};

class NoDevice : public Imposed {
 public:
  explicit NoDevice(const std::string& address) {
    must_run({"rdma", "system", "set", "netns", "exclusive"});
    before_ = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    if (before_ < 0 || unshare(CLONE_NEWNET) != 0)
      throw std::runtime_error("cannot create a network namespace (needs CAP_SYS_ADMIN)");
    must_run({"ip", "link", "add", kInterface, "type", "dummy"});
    must_run({"ip", "link", "set", kInterface, "up"});
    must_run({"ip", "addr", "add", address.c_str(), "dev", kInterface});
  }
  std::string lift() override {
    const bool done = setns(before_, CLONE_NEWNET) == 0;
    close(before_);
    return done ? "" : "the process cannot return to its network namespace";
  }

 private:
  int before_ = -1;
};

// The deletion runs in the background and finishes after this process has ended.
class LinkDeleted : public Imposed {
 public:
  LinkDeleted() {
    if (start({"rdma", "link", "del", kDevice.data()}) < 0 || !comes_true([] { return !is_listed(); }))
      throw std::runtime_error("cannot delete link rxe0");
  }
  std::string lift() override { return {}; }
};

}  // namespace

ImposedPtr take_all_devices(Testbed& bed, const std::string& /*none*/) {
  want_our_machine(bed.target);
  return std::make_unique<NoDevice>(bed.target.address);
}

ImposedPtr delete_link(Testbed& bed, const std::string& /*none*/) {
  want_our_machine(bed.target);
  return std::make_unique<LinkDeleted>();
}

ImposedPtr take_interface_down(Testbed& bed, const std::string& /*none*/) {
  want_our_machine(bed.target);
  return std::make_unique<InterfaceDown>();
}

std::string make_machine_whole(const Target& target) {
  // Without allow_disruptive the machine was not changed.
  if (!target.allow_disruptive || target.device != kDevice) return {};
  // Refused while a second network namespace exists; it disappears shortly after its last process.
  if (!comes_true([] { return run({"rdma", "system", "set", "netns", "shared"}); }))
    return "cannot set 'rdma system set netns shared'";
  const auto is_there = [] {
    if (is_listed()) return true;
    if (!fs::exists(kLink)) run({"rdma", "link", "add", kDevice.data(), "type", "rxe", "netdev", kInterface});
    return false;
  };
  if (!comes_true(is_there)) return fmt::format("cannot restore link {}", kDevice);
  return bring_interface_up();
}

}  // namespace conformance
