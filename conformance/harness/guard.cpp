// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/guard.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace conformance {
namespace {

// What the handlers need; there is one guard per process.
struct State {
  Observation* observation = nullptr;
  std::byte* page = nullptr;
  size_t page_size = 0;
  void** slot = nullptr;
  volatile sig_atomic_t closed = 0;    // stores are to be recorded
  volatile sig_atomic_t stepping = 0;  // one store is being let through
};
State state;

constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
constexpr greg_t kTrapFlag = 0x100;

greg_t& register_of(void* context, int index) {
  return static_cast<ucontext_t*>(context)->uc_mcontext.gregs[index];
}

uint64_t value_in_slot() {
  return reinterpret_cast<uint64_t>(*state.slot);
}

bool on_page(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  return state.closed != 0 && at >= state.page && at < state.page + state.page_size;
}

void let_store_through(void* context) {
  Observation& observation = *state.observation;
  if (observation.stores < observation.store.size()) {
    Store& store = observation.store[observation.stores];
    store.by = place_of(static_cast<uint64_t>(register_of(context, REG_RIP)));
    store.before = value_in_slot();
  }
  mprotect(state.page, state.page_size, PROT_READ | PROT_WRITE);
  register_of(context, REG_EFL) |= kTrapFlag;
  state.stepping = 1;
}

void on_step(int, siginfo_t*, void* context) {
  if (state.stepping == 0) return;
  state.stepping = 0;
  register_of(context, REG_EFL) &= ~kTrapFlag;
  Observation& observation = *state.observation;
  if (observation.stores < observation.store.size())
    observation.store[observation.stores].after = value_in_slot();
  ++observation.stores;
  if (state.closed != 0) mprotect(state.page, state.page_size, PROT_READ);
}

void note_crash(int signal, const siginfo_t* info, void* context) {
  Observation& observation = *state.observation;
  if (observation.caught != 0) return;  // the first one is the cause
  observation.caught = signal;
  observation.at = place_of(static_cast<uint64_t>(register_of(context, REG_RIP)));
  observation.fault_address = reinterpret_cast<uint64_t>(info->si_addr);
  std::array<void*, 32> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  // The handler's own frames end where the faulting instruction stands.
  bool inside = false;
  for (int i = 0; i < count && observation.frames < observation.frame.size(); ++i) {
    const auto address = reinterpret_cast<uint64_t>(frames.at(static_cast<size_t>(i)));
    inside = inside || address == observation.at.address;
    if (inside) observation.frame[observation.frames++] = place_of(address);
  }
  if (observation.frames == 0) observation.frame[observation.frames++] = observation.at;
}

void on_crash(int signal, siginfo_t* info, void* context) {
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && on_page(info->si_addr)) {
    let_store_through(context);
    return;
  }
  // Should the backtrace itself crash, the default action must take over.
  struct sigaction fallback {};
  fallback.sa_handler = SIG_DFL;
  for (const int crash : kCrashSignals) sigaction(crash, &fallback, nullptr);
  note_crash(signal, info, context);
  if (info->si_code <= 0) raise(signal);  // sent, not caused by an instruction that would run again
}

}  // namespace

Place place_of(uint64_t address) {
  Place place{};
  place.address = address;
  dl_find_object object{};
  if (_dl_find_object(reinterpret_cast<void*>(address), &object) != 0 || object.dlfo_link_map == nullptr)
    return place;
  const link_map& map = *object.dlfo_link_map;
  place.offset = address - map.l_addr;
  const char* slash = strrchr(map.l_name, '/');
  const char* file = slash != nullptr ? slash + 1 : map.l_name;
  if (*file == '\0') file = "main";
  strncpy(place.file.data(), file, place.file.size() - 1);
  return place;
}

Guard::Guard(Observation& observation) {
  state.page_size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* page = mmap(nullptr, state.page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::runtime_error("no memory for the guarded page");
  state.observation = &observation;
  state.page = static_cast<std::byte*>(page);
  // In the middle, so that a store beside it is seen too.
  slot_ = state.slot = reinterpret_cast<void**>(state.page + state.page_size / 2);

  // A crash may be a stack overflow: the handlers run on a stack of their own. The first backtrace loads the
  // unwinder and allocates, so it is made now.
  static std::array<std::byte, 65536> stack;
  const stack_t alternate{stack.data(), 0, stack.size()};
  sigaltstack(&alternate, nullptr);
  std::array<void*, 4> prime{};
  backtrace(prime.data(), static_cast<int>(prime.size()));

  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  action.sa_sigaction = on_crash;
  for (const int signal : kCrashSignals) sigaction(signal, &action, nullptr);
  action.sa_sigaction = on_step;
  sigaction(SIGTRAP, &action, nullptr);
}

Guard::~Guard() {
  state.closed = 0;
  munmap(state.page, state.page_size);
}

void Guard::close() {
  state.closed = 1;
  mprotect(state.page, state.page_size, PROT_READ);
}

void Guard::open() {
  mprotect(state.page, state.page_size, PROT_READ | PROT_WRITE);
  state.closed = 0;
}

}  // namespace conformance
