// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>

#include "conformance/harness/symbols.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;

template <typename Function>
bool look_up(void* handle, const char* name, Function& function) {
  void* address = dlsym(handle, name);
  static_assert(sizeof(address) == sizeof(function));
  std::memcpy(&function, &address, sizeof(function));
  return address != nullptr;
}

std::string last_dl_error() {
  const char* error = dlerror();
  return error != nullptr ? error : "unknown reason";
}

// Entries of an object's dynamic section; addresses are absolute after relocation.
struct Dynamic {
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const ElfW(Rela) * rela = nullptr;
  size_t rela_size = 0;
  const ElfW(Rela) * jumps = nullptr;
  size_t jumps_size = 0;
  size_t soname = 0;
  bool has_soname = false;
};

template <typename T>
const T* at_address(ElfW(Addr) address) {
  return reinterpret_cast<const T*>(address);
}

Dynamic read_dynamic(const link_map& map) {
  Dynamic found;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_STRTAB:
        found.strings = at_address<char>(entry->d_un.d_ptr);
        break;
      case DT_SYMTAB:
        found.symbols = at_address<ElfW(Sym)>(entry->d_un.d_ptr);
        break;
      case DT_RELA:
        found.rela = at_address<ElfW(Rela)>(entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        found.rela_size = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_JMPREL:
        found.jumps = at_address<ElfW(Rela)>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        found.jumps_size = entry->d_un.d_val / sizeof(ElfW(Rela));
        break;
      case DT_SONAME:
        found.soname = entry->d_un.d_val;
        found.has_soname = true;
        break;
      default:
        break;
    }
  }
  return found;
}

const link_map& link_map_of(void* handle) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0 || map == nullptr)
    throw SetupError("cannot read the link map of a loaded library: " + last_dl_error());
  return *map;
}

std::string soname_of(const link_map& map) {
  const Dynamic dynamic = read_dynamic(map);
  if (dynamic.has_soname && dynamic.strings != nullptr) return dynamic.strings + dynamic.soname;
  return fs::path(map.l_name).filename();
}

void* open_or_throw(const std::string& name, int flags, const std::string& hint) {
  void* handle = dlopen(name.c_str(), flags);
  if (handle == nullptr) throw SetupError(fmt::format("cannot load {}: {}; {}", name, last_dl_error(), hint));
  return handle;
}

Shim open_shim() {
  Shim shim;
  bool all = look_up(RTLD_DEFAULT, "rdmafault_arm", shim.arm);
  all = look_up(RTLD_DEFAULT, "rdmafault_disarm", shim.disarm) && all;
  all = look_up(RTLD_DEFAULT, "rdmafault_log_init", shim.log_init) && all;
  all = look_up(RTLD_DEFAULT, "rdmafault_log_size", shim.log_size) && all;
  all = look_up(RTLD_DEFAULT, "rdmafault_missing", shim.missing) && all;
  all = look_up(RTLD_DEFAULT, "rdmafault_suspend", shim.suspend) && all;
  all = look_up(RTLD_DEFAULT, "rdmafault_resume", shim.resume) && all;
  dl_find_object object{};
  if (!all || _dl_find_object(reinterpret_cast<void*>(shim.arm), &object) != 0)
    throw SetupError(
        "the shim is not loaded in this process; start the tool directly, not through a wrapper that drops "
        "LD_PRELOAD (sudo, setuid, a static sanitizer runtime)");
  shim.start = reinterpret_cast<uint64_t>(object.dlfo_map_start);
  shim.end = reinterpret_cast<uint64_t>(object.dlfo_map_end);
  return shim;
}

Mock open_mock() {
  Mock mock;
  bool all = look_up(RTLD_DEFAULT, "rdmamock_begin", mock.begin);
  all = look_up(RTLD_DEFAULT, "rdmamock_end", mock.end) && all;
  all = look_up(RTLD_DEFAULT, "rdmamock_scripts", mock.scripts) && all;
  if (!all) throw SetupError("the mock provider is not loaded in this process; reinstall rpma-conformance");
  return mock;
}

Provider open_provider() {
  Provider p;
  std::string missing;
  const auto need = [&missing](const char* name, auto& function) {
    if (!look_up(RTLD_DEFAULT, name, function) && missing.empty()) missing = name;
  };
  need("rdma_create_event_channel", p.create_event_channel);
  need("rdma_destroy_event_channel", p.destroy_event_channel);
  need("rdma_create_id", p.create_id);
  need("rdma_destroy_id", p.destroy_id);
  need("rdma_getaddrinfo", p.getaddrinfo);
  need("rdma_freeaddrinfo", p.freeaddrinfo);
  need("rdma_bind_addr", p.bind_addr);
  need("rdma_listen", p.listen);
  need("rdma_resolve_addr", p.resolve_addr);
  need("rdma_resolve_route", p.resolve_route);
  need("rdma_create_qp", p.create_qp);
  need("rdma_destroy_qp", p.destroy_qp);
  need("rdma_connect", p.connect);
  need("rdma_disconnect", p.disconnect);
  need("rdma_get_cm_event", p.get_cm_event);
  need("rdma_ack_cm_event", p.ack_cm_event);
  need("rdma_event_str", p.event_str);
  need("ibv_get_device_list", p.get_device_list);
  need("ibv_free_device_list", p.free_device_list);
  need("ibv_get_device_name", p.get_device_name);
  need("ibv_open_device", p.open_device);
  need("ibv_close_device", p.close_device);
  if (!missing.empty())
    throw SetupError(
        fmt::format("{} is neither in librdmacm nor in libibverbs; give another rdma-core with "
                    "--rdma-core",
                    missing));
  return p;
}

// `file`: empty for the system's.
Iut open_iut(const std::string& file) {
  constexpr const char* kSystems = "librpma.so.0";
  void* handle =
      file.empty()
          ? open_or_throw(kSystems, RTLD_NOW | RTLD_LOCAL,
                          "install it (apt-get install librpma0) or give another one with --librpma FILE")
          : open_or_throw(file, RTLD_NOW | RTLD_LOCAL, "give another librpma with --librpma FILE");
  Iut iut;
  std::string missing;
  const auto need = [&](const char* function_name, auto& function) {
    if (!look_up(handle, function_name, function) && missing.empty()) missing = function_name;
  };
  need("rpma_ep_listen", iut.ep_listen);
  need("rpma_ep_shutdown", iut.ep_shutdown);
  need("rpma_ep_get_fd", iut.ep_get_fd);
  need("rpma_ep_next_conn_req", iut.ep_next_conn_req);
  need("rpma_peer_new", iut.peer_new);
  need("rpma_peer_delete", iut.peer_delete);
  need("rpma_utils_get_ibv_context", iut.utils_get_ibv_context);
  need("rpma_conn_req_connect", iut.conn_req_connect);
  need("rpma_conn_next_event", iut.conn_next_event);
  need("rpma_conn_get_event_fd", iut.conn_get_event_fd);
  need("rpma_conn_disconnect", iut.conn_disconnect);
  need("rpma_conn_delete", iut.conn_delete);
  need("rpma_log_set_function", iut.log_set_function);
  const link_map& map = link_map_of(handle);
  iut.path = map.l_name;
  iut.soname = soname_of(map);
  iut.base = map.l_addr;
  iut.counts_coverage = SymbolTable::of_file(iut.path).has("__gcov_exit");
  if (!missing.empty())
    throw SetupError(
        fmt::format("{} has no function {}, so it is not librpma 1.x; give another file with --librpma FILE",
                    iut.path, missing));
  return iut;
}

struct RoleRow {
  std::string_view role;
  std::string_view soname;
};

// By SONAME, as in Debian and upstream. The driver library depends on the device: role_of().
constexpr RoleRow kRoles[] = {
    {"rdmacm", "librdmacm.so.1"},        {"rdmacm", "librdmamock.so"},
    {"ibverbs", "libibverbs.so.1"},      {"netlink", "libnl-3.so.200"},
    {"netlink", "libnl-route-3.so.200"}, {"libc", "libc.so.6"},
    {"loader", "ld-linux-x86-64.so.2"},  {"harness", "main"},
    {"harness", "librdmafault.so"},
};

rdmafault_role shim_role(std::string_view role, std::string_view module) {
  rdmafault_role row{};
  role.copy(row.role, sizeof(row.role) - 1);
  module.copy(row.module, sizeof(row.module) - 1);
  return row;
}

CodeRanges code_of(void* handle) {
  struct Search {
    ElfW(Addr) base;
    CodeRanges found;
  } search{link_map_of(handle).l_addr, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& wanted = *static_cast<Search*>(data);
        if (info->dlpi_addr != wanted.base) return 0;
        const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
        for (const ElfW(Phdr) & segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
          const uint64_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
            wanted.found.emplace_back(start / page * page, start + segment.p_memsz);
        }
        return 1;
      },
      &search);
  return search.found;
}

std::string core_library(const LibraryOptions& options, const char* soname) {
  return options.rdma_core.empty() ? soname : (fs::path(options.rdma_core) / soname).string();
}

}  // namespace

bool shim_is_preloaded() {
  return dlsym(RTLD_DEFAULT, "rdmafault_arm") != nullptr;
}

Library open_library(const LibraryOptions& options) {
  Library library;
  library.shim = open_shim();
  if (options.mock) library.mock = open_mock();
  const std::string hint = options.rdma_core.empty()
                               ? "install it: apt-get install librdmacm1 libibverbs1"
                               : "give the folder of librdmacm.so.1 and libibverbs.so.1 with --rdma-core";
  open_or_throw(core_library(options, "libibverbs.so.1"), RTLD_NOW | RTLD_GLOBAL, hint);
  void* rdmacm = open_or_throw(core_library(options, "librdmacm.so.1"), RTLD_NOW | RTLD_GLOBAL, hint);
  if (options.mock) library.not_for_the_mock = code_of(rdmacm);
  library.iut = open_iut(options.librpma);
  library.provider = open_provider();
  if (const char* missing = library.shim.missing(); missing != nullptr)
    throw SetupError(
        fmt::format("the shim finds no next {}: librdmacm is not in the global scope; give another rdma-core "
                    "with --rdma-core",
                    missing));
  library.roles.push_back(shim_role("iut", library.iut.soname));
  for (const RoleRow& row : kRoles) library.roles.push_back(shim_role(row.role, row.soname));
  if (const std::string slot = slot_past_shim(library); !slot.empty())
    throw SetupError(
        fmt::format("{} bypasses the shim for {}, so no fault can reach it; link it dynamically, without "
                    "-Bsymbolic and direct binding",
                    library.iut.path, slot));
  return library;
}

std::string slot_past_shim(const Library& library) {
  size_t count = 0;
  const rdmafault_function* functions = rdmafault_functions(&count);
  std::map<std::string_view, rdmafault_kind> interposed;
  // System calls are intercepted at the kernel's border, independently of relocation slots.
  for (size_t i = 0; i < count; ++i)
    if (functions[i].kind != RDMAFAULT_SYSTEM_CALL) interposed[functions[i].name] = functions[i].kind;

  void* handle = dlopen(library.iut.path.c_str(), RTLD_NOW | RTLD_NOLOAD);
  if (handle == nullptr) return "every function (it is not loaded any more)";
  const link_map& map = link_map_of(handle);
  const Dynamic dynamic = read_dynamic(map);
  if (dynamic.strings == nullptr || dynamic.symbols == nullptr)
    return "every function (it has no dynamic symbols)";
  size_t provider_slots = 0;
  std::string past;
  const auto check = [&](const ElfW(Rela) * table, size_t rows) {
    if (table == nullptr) return;
    for (const ElfW(Rela) & row : std::span(table, rows)) {
      const auto type = ELF64_R_TYPE(row.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64) continue;
      const char* name = dynamic.strings + dynamic.symbols[ELF64_R_SYM(row.r_info)].st_name;
      const auto function = interposed.find(name);
      if (function == interposed.end()) continue;
      const uint64_t target = *at_address<uint64_t>(map.l_addr + row.r_offset);
      if (target >= library.shim.start && target < library.shim.end)
        provider_slots += static_cast<size_t>(function->second == RDMAFAULT_PROVIDER);
      else if (past.empty())
        past = name;
    }
  };
  check(dynamic.rela, dynamic.rela_size);
  check(dynamic.jumps, dynamic.jumps_size);
  dlclose(handle);
  if (past.empty() && provider_slots == 0) return "every provider function (it has no slot for any)";
  return past;
}

namespace {

// libibverbs names its driver libraries lib<driver>-rdmav<abi>.so.
bool is_driver(const std::string& file) {
  return file.find("-rdmav") != std::string::npos;
}

}  // namespace

void learn_driver(Library& library, std::span<const rdmafault_module> modules) {
  for (const rdmafault_module& module : modules) {
    const std::string soname = module.soname;
    const auto is_known = [&soname](const rdmafault_role& row) { return soname == row.module; };
    if (is_driver(soname) && library.roles.size() < RDMAFAULT_MAX_ROLES &&
        std::ranges::none_of(library.roles, is_known))
      library.roles.push_back(shim_role("driver", soname));
  }
}

std::string role_of(const Library& library, const std::string& file) {
  for (const rdmafault_role& row : library.roles)
    if (file == row.module || file == fs::path(row.module).filename()) return row.role;
  if (file == fs::path(library.iut.path).filename()) return "iut";
  if (is_driver(file)) return "driver";
  return file == "kernel" ? "kernel" : "other";
}

}  // namespace conformance
