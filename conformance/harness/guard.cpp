// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/guard.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <stdexcept>

namespace conformance {
namespace {

// The handlers' state; there is one guard per process.
struct State {
  Observation* observation = nullptr;
  std::byte* page = nullptr;
  size_t page_size = 0;
  void** slot = nullptr;
  volatile sig_atomic_t closed = 0;    // stores are to be recorded
  volatile sig_atomic_t stepping = 0;  // one store is being executed
  volatile sig_atomic_t noting = 0;    // the stack of a hang is being noted
  bool off = false;
  const CodeRanges* forbidden = nullptr;
  uint64_t forbidden_to = 0;  // load address
  pid_t runner = 0;
  decltype(Shim::suspend) suspend = nullptr;
  decltype(Shim::resume) resume = nullptr;
};
State guard_state;

constexpr int kCrashSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS};
constexpr greg_t kTrapFlag = 0x100;

// The maximum number of frames walked, including the handler's own and those that are not recorded.
constexpr int kDeepest = 64;

// Suspends the shim and keeps errno: a handler's calls are not part of the call under test, and must not be
// recorded or fail. So this comes first in a handler.
class Unseen {
 public:
  Unseen() {
    if (guard_state.suspend != nullptr) guard_state.suspend();
    error_ = errno;
  }
  ~Unseen() {
    errno = error_;
    if (!for_good_ && guard_state.resume != nullptr) guard_state.resume();
  }
  Unseen(const Unseen&) = delete;
  Unseen& operator=(const Unseen&) = delete;
  Unseen(Unseen&&) = delete;
  Unseen& operator=(Unseen&&) = delete;

  // The process is about to end; the shim stays suspended.
  void stay_for_good() { for_good_ = true; }

 private:
  int error_;
  bool for_good_ = false;
};

greg_t& register_of(void* context, int index) {
  return static_cast<ucontext_t*>(context)->uc_mcontext.gregs[index];
}

uint64_t value_in_slot() {
  return reinterpret_cast<uint64_t>(*guard_state.slot);
}

bool on_page(const void* address) {
  const auto* at = static_cast<const std::byte*>(address);
  return guard_state.closed != 0 && at >= guard_state.page && at < guard_state.page + guard_state.page_size;
}

void let_store_through(void* context) {
  Observation& observation = *guard_state.observation;
  if (observation.stores < observation.store.size()) {
    Store& store = observation.store[observation.stores];
    store.by = place_of(static_cast<uint64_t>(register_of(context, REG_RIP)));
    store.before = value_in_slot();
  }
  mprotect(guard_state.page, guard_state.page_size, PROT_READ | PROT_WRITE);
  register_of(context, REG_EFL) |= kTrapFlag;
  guard_state.stepping = 1;
}

void on_step(int, siginfo_t*, void* context) {
  const Unseen unseen;
  if (guard_state.stepping == 0) return;
  guard_state.stepping = 0;
  register_of(context, REG_EFL) &= ~kTrapFlag;
  Observation& observation = *guard_state.observation;
  if (observation.stores < observation.store.size())
    observation.store[observation.stores].after = value_in_slot();
  ++observation.stores;
  if (guard_state.closed != 0) mprotect(guard_state.page, guard_state.page_size, PROT_READ);
}

// The frames of a stack that was interrupted at `from`. Each one is written when it is found, so that they
// are kept if the walk crashes or does not end.
struct Walk {
  Observation& observation;
  uint64_t from;
  bool inside = false;  // past the handler's own frames
  int steps = 0;
};

void add_frame(Observation& observation, uint64_t address) {
  if (observation.frames < observation.frame.size())
    observation.frame[observation.frames++] = place_of(address);
}

_Unwind_Reason_Code on_frame(_Unwind_Context* context, void* data) {
  auto& walk = *static_cast<Walk*>(data);
  const uint64_t address = _Unwind_GetIP(context);
  if (walk.inside) add_frame(walk.observation, address);
  walk.inside = walk.inside || address == walk.from;  // that frame is already recorded
  const bool full = walk.observation.frames >= walk.observation.frame.size();
  return full || ++walk.steps >= kDeepest ? _URC_END_OF_STACK : _URC_NO_REASON;
}

void note_stack(Observation& observation, void* context) {
  const auto from = static_cast<uint64_t>(register_of(context, REG_RIP));
  observation.at = place_of(from);
  observation.frames = 0;
  add_frame(observation, from);
  if (observation.at.file[0] == '\0') {
    // A call to an invalid address. The unwinder would read instructions there; the return address is on top.
    const uint64_t caller = *reinterpret_cast<const uint64_t*>(register_of(context, REG_RSP));
    if (place_of(caller).file[0] != '\0') add_frame(observation, caller);
    return;
  }
  Walk walk{observation, from};
  _Unwind_Backtrace(on_frame, &walk);
}

// Tells the runner that the stack is complete. The runner then ends this process.
[[noreturn]] void say_stack_is_noted() {
  std::atomic_ref(guard_state.observation->stack_noted).store(1, std::memory_order_release);
  for (;;) pause();
}

void on_hang(int, siginfo_t* info, void* context) {
  const Unseen unseen;
  if (info->si_code != SI_TKILL || info->si_pid != guard_state.runner) return;
  guard_state.noting = 1;
  // If a crash handler hangs, the stack of the crash is kept.
  if (guard_state.observation->caught == 0) note_stack(*guard_state.observation, context);
  say_stack_is_noted();
}

void note_crash(int signal, const siginfo_t* info, void* context) {
  Observation& observation = *guard_state.observation;
  if (observation.caught != 0) return;  // the first one is the cause
  observation.caught = signal;
  observation.fault_address = reinterpret_cast<uint64_t>(info->si_addr);
  note_stack(observation, context);
}

void protect_forbidden(int protection) {
  for (const auto& [start, end] : *guard_state.forbidden)
    mprotect(reinterpret_cast<void*>(start), end - start, protection);
}

// True if another object has called forbidden code, such as the loader at exit. It may from now on.
bool allow_call(void* context) {
  const auto at = static_cast<uint64_t>(register_of(context, REG_RIP));
  if (guard_state.forbidden == nullptr || !contains(*guard_state.forbidden, at)) return false;
  const uint64_t caller = *reinterpret_cast<const uint64_t*>(register_of(context, REG_RSP));
  dl_find_object object{};
  if (_dl_find_object(reinterpret_cast<void*>(caller), &object) == 0 && object.dlfo_link_map != nullptr &&
      object.dlfo_link_map->l_addr == guard_state.forbidden_to)
    return false;
  protect_forbidden(PROT_READ | PROT_EXEC);
  return true;
}

void on_crash(int signal, siginfo_t* info, void* context) {
  Unseen unseen;
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && on_page(info->si_addr)) {
    let_store_through(context);
    return;
  }
  if (signal == SIGSEGV && info->si_code == SEGV_ACCERR && allow_call(context)) return;
  unseen.stay_for_good();
  // The stack of a hang cannot be walked; it is still a hang.
  if (guard_state.noting != 0) say_stack_is_noted();
  // If the stack walk itself crashes, the default action ends the process.
  struct sigaction fallback {};
  fallback.sa_handler = SIG_DFL;
  for (const int crash : kCrashSignals) sigaction(crash, &fallback, nullptr);
  note_crash(signal, info, context);
  if (info->si_code <= 0) raise(signal);  // sent by a process: no instruction raises it again
}

// The first unwind may run the loader, read unwind tables or allocate. So it is done once before a crash.
void prime(Observation& observation) {
  Walk walk{observation, 0, true};
  _Unwind_Backtrace(on_frame, &walk);
  observation.frames = 0;
  observation.frame = {};
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

Guard::Guard(Observation& observation, const Shim& shim, Mode mode) {
  guard_state.page_size = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  void* page =
      mmap(nullptr, guard_state.page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::runtime_error("no memory for the guarded page");
  guard_state.observation = &observation;
  guard_state.suspend = shim.suspend;
  guard_state.resume = shim.resume;
  guard_state.runner = getppid();
  guard_state.page = static_cast<std::byte*>(page);
  // In the middle of the page, so that a store next to it is seen too.
  slot_ = guard_state.slot = reinterpret_cast<void**>(guard_state.page + guard_state.page_size / 2);

  guard_state.off = mode == Mode::Off;
  if (guard_state.off) return;

  // A crash may be a stack overflow: the handlers have their own stack.
  static std::array<std::byte, 65536> stack;
  const stack_t alternate{stack.data(), 0, stack.size()};
  sigaltstack(&alternate, nullptr);
  prime(observation);

  // stack_signal() must not interrupt these handlers.
  struct sigaction action {};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaddset(&action.sa_mask, stack_signal());
  action.sa_sigaction = on_crash;
  for (const int signal : kCrashSignals) sigaction(signal, &action, nullptr);
  action.sa_sigaction = on_step;
  sigaction(SIGTRAP, &action, nullptr);

  // Only a crash may interrupt the hang handler, which never returns.
  sigfillset(&action.sa_mask);
  for (const int signal : kCrashSignals) sigdelset(&action.sa_mask, signal);
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  action.sa_sigaction = on_hang;
  sigaction(stack_signal(), &action, nullptr);
  sigset_t question;
  sigemptyset(&question);
  sigaddset(&question, stack_signal());
  sigprocmask(SIG_UNBLOCK, &question, nullptr);
}

Guard::~Guard() {
  guard_state.closed = 0;
  munmap(guard_state.page, guard_state.page_size);
}

void Guard::forbid(const CodeRanges& code, uint64_t base) {
  if (guard_state.off || code.empty()) return;
  guard_state.forbidden = &code;
  guard_state.forbidden_to = base;
  protect_forbidden(PROT_READ);
}

void Guard::close() {
  if (guard_state.off) return;
  guard_state.closed = 1;
  mprotect(guard_state.page, guard_state.page_size, PROT_READ);
}

void Guard::open() {
  mprotect(guard_state.page, guard_state.page_size, PROT_READ | PROT_WRITE);
  guard_state.closed = 0;
}

}  // namespace conformance
