// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/codes.h"

#include <fmt/format.h>
#include <librpma.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

namespace conformance {
namespace {

struct CodeName {
  int code;
  std::string_view name;
};
constexpr CodeName kCodes[] = {
    {RPMA_E_UNKNOWN, "RPMA_E_UNKNOWN"},   {RPMA_E_NOSUPP, "RPMA_E_NOSUPP"},
    {RPMA_E_PROVIDER, "RPMA_E_PROVIDER"}, {RPMA_E_NOMEM, "RPMA_E_NOMEM"},
    {RPMA_E_INVAL, "RPMA_E_INVAL"},       {RPMA_E_NO_COMPLETION, "RPMA_E_NO_COMPLETION"},
    {RPMA_E_NO_EVENT, "RPMA_E_NO_EVENT"}, {RPMA_E_AGAIN, "RPMA_E_AGAIN"},
};

}  // namespace

std::string code_name(int code) {
  const auto* const found = std::ranges::find(kCodes, code, &CodeName::code);
  return found == std::end(kCodes) ? std::to_string(code) : fmt::format("{} ({})", found->name, code);
}

std::string error_name(int error) {
  const char* const name = strerrorname_np(error);
  return name != nullptr ? name : fmt::format("errno {}", error);
}

std::string signal_name(int signal) {
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

}  // namespace conformance
