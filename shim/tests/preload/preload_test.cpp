// SPDX-License-Identifier: BSD-3-Clause
//
// What the tests of the preloaded shim share.
#include "preload_test.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>

namespace {

template <class Function>
void look_up(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

Shim find_shim() {
  Shim found = {};
  look_up(found.functions, "rdmafault_functions");
  look_up(found.parse, "rdmafault_parse");
  look_up(found.log_size, "rdmafault_log_size");
  look_up(found.log_init, "rdmafault_log_init");
  look_up(found.arm, "rdmafault_arm");
  look_up(found.disarm, "rdmafault_disarm");
  look_up(found.suspend, "rdmafault_suspend");
  look_up(found.resume, "rdmafault_resume");
  look_up(found.missing, "rdmafault_missing");
  return found;
}

}  // namespace

const Shim& shim() {
  static const Shim found = find_shim();
  return found;
}

std::string why_not_live() {
  if (shim().arm == nullptr) return "librdmafault.so is not preloaded";
  size_t count = 0;
  const rdmafault_function* functions = shim().functions(&count);
  for (size_t i = 0; i < count; ++i) {
    if (functions[i].kind == RDMAFAULT_SYSTEM_CALL) continue;
    void* const symbol = dlsym(RTLD_DEFAULT, functions[i].name);
    Dl_info info = {};
    if (symbol == nullptr || dladdr(symbol, &info) == 0)
      return std::string(functions[i].name) + " is not found";
    if (std::strstr(info.dli_fname, "librdmafault.so") == nullptr) {
      return std::string(functions[i].name) + " comes from " + info.dli_fname;
    }
  }
  return "";
}

Log::Log(uint32_t capacity) : memory_(shim().log_size(capacity) / sizeof(uint64_t)) {
  log_ = shim().log_init(memory_.data(), memory_.size() * sizeof(uint64_t));
}

std::vector<rdmafault_record> Log::records_of(const char* function, const char* module) const {
  std::vector<rdmafault_record> result;
  const rdmafault_function* functions = shim().functions(nullptr);
  const uint32_t written = std::min(log_->count, log_->capacity);
  for (uint32_t i = 0; i < written; ++i) {
    const rdmafault_record& record = log_->records[i];
    if (std::strcmp(functions[record.function].name, function) != 0) continue;
    if (module == nullptr || module_of(record) == module) {
      result.push_back(record);
    }
  }
  return result;
}

std::string Log::module_of(const rdmafault_record& record) const {
  return record.module == RDMAFAULT_NONE ? "" : log_->modules[record.module].soname;
}

Session::Session(const Log& log, std::initializer_list<std::string> rules,
                 std::initializer_list<rdmafault_role> roles, uint32_t flags)
    : roles_(roles), session_{} {
  for (const std::string& text : rules) {
    rdmafault_rule rule = {};
    rdmafault_error error = {};
    EXPECT_EQ(0, shim().parse(text.c_str(), &rule, &error)) << text << ": " << error.message;
    rules_.push_back(rule);
  }
  session_ = {log.get(), rules_.data(), rules_.size(), roles_.data(), roles_.size(), flags};
}
