// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/kernel_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <string_view>

namespace conformance {
namespace {

struct Mark {
  std::string_view text;
  bool stall;  // may also be caused by a slow emulator
};

// Parts of the kernel's error reports; ordinary driver messages contain none of these.
constexpr Mark kMarks[] = {
    {"soft lockup", true},
    {"self-detected stall", true},
    {"detected stalls on CPUs", true},
    {"blocked for more than", true},
    {"hard LOCKUP", true},
    {"WARNING: ", false},
    {"BUG: ", false},
    {"kernel BUG at", false},
    {"Oops", false},
    {"general protection fault", false},
    {"Kernel panic", false},
    {"UBSAN: ", false},
    {"refcount_t: ", false},
    {"possible recursive locking", false},
    {"possible circular locking", false},
    {"list_add corruption", false},
    {"list_del corruption", false},
};

// Lines that are added here and are not the kernel's.
constexpr const char* kOverrun = "(its log ran over: messages were lost)";
constexpr const char* kTaint = "(its taint went from ";

// Bits 3 and up of the priority are the facility; 0 is the kernel. Programs may write to this log too.
bool is_from_the_kernel(std::string_view record) {
  unsigned priority = 0;
  return std::from_chars(record.data(), record.data() + record.size(), priority).ec == std::errc{} &&
         priority < 8;
}

std::string read_taint() {
  std::ifstream file("/proc/sys/kernel/tainted");
  std::string value;
  file >> value;
  return value;
}

}  // namespace

bool is_said_of_the_kernel(const std::string& line) {
  return line == kOverrun || line.starts_with(kTaint);
}

Verdict verdict_on_kernel_line(const std::string& line, bool emulated) {
  // The kernel reports a crashed program: "traps: NAME[PID] general protection fault ip:..."
  if (line.starts_with("traps: ")) return Verdict::Pass;
  if (line == kOverrun) return Verdict::Broken;
  if (line.starts_with(kTaint)) return Verdict::Fail;
  for (const Mark& mark : kMarks)
    if (line.find(mark.text) != std::string::npos)
      return mark.stall && emulated ? Verdict::Broken : Verdict::Fail;
  return Verdict::Pass;
}

KernelLog::KernelLog()
    : fd_(open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC)),
      emulated_(is_emulated()),
      taint_(read_taint()) {
  if (fd_ >= 0) lseek(fd_, 0, SEEK_END);
  worst_.add(Outcome::pass());
}

KernelLog::~KernelLog() {
  if (fd_ >= 0) close(fd_);
}

bool is_emulated() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name")) return line.find("QEMU TCG") != std::string::npos;
  return false;
}

void KernelLog::add(std::string line) {
  const Verdict verdict = verdict_on_kernel_line(line, emulated_);
  if (verdict != Verdict::Pass) worst_.add(Outcome::of(verdict, "the kernel logged: " + line));
  lines_.push_back(std::move(line));
}

Outcome KernelLog::judge() {
  if (fd_ < 0)
    return Outcome::of(Verdict::Unsupported, "cannot read the kernel's log /dev/kmsg; run as root");
  std::array<char, 8192> buffer{};
  for (;;) {
    const ssize_t size = read(fd_, buffer.data(), buffer.size());
    if (size < 0 && errno == EPIPE) {
      add(kOverrun);
      continue;
    }
    if (size <= 0) break;
    // "priority,sequence,microseconds,flags;text"
    const std::string_view record(buffer.data(), static_cast<size_t>(size));
    const size_t text = record.find(';');
    if (text == std::string_view::npos || !is_from_the_kernel(record)) continue;
    add(std::string(record.substr(text + 1, record.find('\n', text) - text - 1)));
  }
  if (const std::string taint = read_taint(); taint != taint_) {
    add(fmt::format("{}{} to {}", kTaint, taint_, taint));
    taint_ = taint;
  }
  return worst_.outcome();
}

}  // namespace conformance
