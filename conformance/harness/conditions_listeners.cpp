// SPDX-License-Identifier: BSD-3-Clause
//
// Conditions: other endpoints of the IUT listen, in this process or in another one.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <utility>
#include <vector>

#include "conformance/harness/addresses.h"
#include "conformance/harness/codes.h"
#include "conformance/harness/imposing.h"

namespace conformance {
namespace {

// Endpoints of this process.
class HeldListeners : public Imposed {
 public:
  // `wanted`: with fewer endpoints lacks() is not empty.
  explicit HeldListeners(Testbed& bed, size_t wanted = 0) : bed_(bed), wanted_(wanted) {}

  // Returns what rpma_ep_listen returned.
  int add(const std::string& address, const std::string& port) {
    rpma_ep* endpoint = nullptr;
    const int code = bed_.library.iut.ep_listen(bed_.peer, address.c_str(), port.c_str(), &endpoint);
    if (code == 0) endpoints_.push_back(endpoint);
    return code;
  }
  [[nodiscard]] size_t count() const { return endpoints_.size(); }
  void also(ImposedPtr other) { other_ = std::move(other); }

  [[nodiscard]] std::string lacks() const override {
    if (count() >= wanted_) return {};
    return fmt::format("only {} of {} other endpoints listen", count(), wanted_);
  }

  std::string lift() override {
    std::string first = other_ ? other_->lift() : "";
    for (rpma_ep* endpoint : endpoints_)
      if (const int code = bed_.library.iut.ep_shutdown(&endpoint); code != 0 && first.empty())
        first = fmt::format("rpma_ep_shutdown of another endpoint returned {}", code_name(code));
    return first;
  }

 private:
  Testbed& bed_;
  std::vector<rpma_ep*> endpoints_;
  ImposedPtr other_;  // lifted first
  size_t wanted_;
};

// A process that listens until it is killed; it ends with this process at the latest. Does not call
// librdmacm in this process.
class OtherProcess : public Imposed {
 public:
  OtherProcess(Testbed& bed, const std::string& address) {
    int ends[2] = {-1, -1};
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("pipe2 failed");
    process_ = fork();
    if (process_ == 0) listen(bed, address, ends[1]);
    close(ends[1]);
    int code = 0;
    const bool answered = read(ends[0], &code, sizeof code) == sizeof code;
    close(ends[0]);
    if (process_ > 0 && answered && code == 0) return;
    end();
    throw std::runtime_error(answered
                                 ? "the other process's rpma_ep_listen returned " + code_name(code)
                                 : std::string("the other process ended before its rpma_ep_listen returned"));
  }
  ~OtherProcess() override { end(); }
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;
  OtherProcess(OtherProcess&&) = delete;
  OtherProcess& operator=(OtherProcess&&) = delete;

  std::string lift() override {
    end();
    return {};
  }

 private:
  [[noreturn]] static void listen(Testbed& bed, const std::string& address, int answer) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The observation must not get this process's log.
    bed.library.iut.log_set_function(nullptr);
    rpma_ep* endpoint = nullptr;
    const int code = bed.library.iut.ep_listen(bed.peer, address.c_str(), bed.port.c_str(), &endpoint);
    if (write(answer, &code, sizeof code) != sizeof code || code != 0) _exit(1);
    for (;;) pause();
  }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  pid_t process_ = -1;
};

class Nothing : public Imposed {
 public:
  std::string lift() override { return {}; }
};

// Ports for many endpoints, below those of experiments (testbed.cpp). Concurrent experiments mostly start at
// different ports, and skip ports that are busy.
constexpr int kFirst = 1024;
constexpr int kEnd = 10240;
constexpr int kBlock = 512;

template <class More>
void listen_on_many(HeldListeners& held, const Testbed& bed, More more) {
  constexpr int kPorts = kEnd - kFirst;
  const int begin = getpid() % (kPorts / kBlock) * kBlock;
  for (int i = 0; i < kPorts && more(); ++i) {
    const std::string port = std::to_string(kFirst + (begin + i) % kPorts);
    if (port != bed.port) held.add(bed.target.address, port);  // the mock's port is in this range
  }
}

bool descriptor_left() {
  const int copy = dup(STDERR_FILENO);
  if (copy >= 0) close(copy);
  return copy >= 0;
}

}  // namespace

ImposedPtr hold_port_here(Testbed& bed, const std::string& address) {
  auto held = std::make_unique<HeldListeners>(bed);
  if (const int code = held->add(address_named(address, bed.target), bed.port); code != 0)
    throw std::runtime_error("the other endpoint's rpma_ep_listen returned " + code_name(code));
  return held;
}

ImposedPtr hold_port_elsewhere(Testbed& bed, const std::string& address) {
  return std::make_unique<OtherProcess>(bed, address_named(address, bed.target));
}

ImposedPtr kill_listener(Testbed& bed, const std::string& /*none*/) {
  OtherProcess(bed, bed.target.address).lift();
  return std::make_unique<Nothing>();
}

ImposedPtr hold_many(Testbed& bed, const std::string& number) {
  const size_t wanted = std::stoul(number);
  auto held = std::make_unique<HeldListeners>(bed, wanted);
  // An IUT that refuses these also refuses the call under test, which is judged.
  listen_on_many(*held, bed, [&] { return held->count() < wanted; });
  return held;
}

ImposedPtr hold_all(Testbed& bed, const std::string& descriptors) {
  auto held = std::make_unique<HeldListeners>(bed);
  held->also(leave_descriptors(bed, descriptors));
  listen_on_many(*held, bed, descriptor_left);
  if (held->count() > 0 && !descriptor_left()) return held;
  held->lift();
  throw std::runtime_error("other endpoints cannot use up all descriptors");
}

}  // namespace conformance
