// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/harness/listen_operation.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>
#include <string>
#include <utility>

#include "conformance/harness/addresses.h"
#include "conformance/harness/client.h"
#include "conformance/harness/direct_listen.h"
#include "conformance/harness/features.h"
#include "conformance/harness/testbed.h"

namespace conformance {
namespace {

constexpr std::pair<unsigned, std::string_view> kNullNames[] = {
    {kPeerNull, "peer"}, {kAddrNull, "addr"}, {kPortNull, "port"}, {kEpPtrNull, "ep_ptr"}};

// Characters with a meaning in a point id; they are escaped in an argument's text.
constexpr std::string_view kReserved = "/(),=%";

std::string encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= ' ' && byte != 0x7f && kReserved.find(c) == std::string_view::npos;
    result += plain ? std::string(1, c) : fmt::format("%{:02x}", byte);
  }
  return result;
}

std::string decoded(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() + 0 &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      if (value == 0) throw std::invalid_argument("an argument of the call cannot contain a NUL byte (%00)");
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

class Listen : public Operation {
 public:
  explicit Listen(ListenArguments arguments) : arguments_(std::move(arguments)) {}

  [[nodiscard]] std::string_view function() const override { return "rpma_ep_listen"; }
  [[nodiscard]] bool has_out() const override { return !is_null(kEpPtrNull); }
  [[nodiscard]] const Operation& ordinary() const override {
    static const Listen kOrdinary{{}};
    const bool is_ordinary = arguments_.nulls == 0 && !arguments_.address && !arguments_.port;
    return is_ordinary ? *this : kOrdinary;
  }
  [[nodiscard]] std::string variant() const override {
    std::string text;
    const auto add = [&text](std::string_view name, const std::string& value) {
      text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
    };
    for (const auto& [bit, name] : kNullNames)
      if (is_null(bit)) add(name, "NULL");
    if (arguments_.address) add("addr", encoded(*arguments_.address));
    if (arguments_.port) add("port", encoded(*arguments_.port));
    return text;
  }

  [[nodiscard]] std::string unsupported(const Target& target) const override {
    try {
      if (arguments_.address) return unsupported_address(address_named(*arguments_.address, target), target);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return {};
  }

  int call(const Testbed& bed, void** out) const override {
    return bed.library.iut.ep_listen(is_null(kPeerNull) ? nullptr : bed.peer,
                                     is_null(kAddrNull) ? nullptr : address(bed),
                                     is_null(kPortNull) ? nullptr : port(bed),
                                     is_null(kEpPtrNull) ? nullptr : reinterpret_cast<rpma_ep**>(out));
  }

  void prepare(Testbed& bed) const override {
    if (arguments_.address) bed.other_address = address_named(*arguments_.address, bed.target);
  }

  Works use(const Testbed& bed, void* given, int queued, std::string& text) const override {
    auto* endpoint = static_cast<rpma_ep*>(given);
    if (const int requests = take_queued(bed, endpoint); requests != queued) {
      text = "the endpoint had " + std::to_string(requests) + " queued connection requests instead of " +
             std::to_string(queued);
      return Works::No;
    }
    // The client of a wildcard listener connects to the device's address.
    const bool anywhere = !arguments_.address || *arguments_.address == kWildcard;
    return connect_to(bed, endpoint, anywhere ? bed.target.address : bed.other_address, port(bed), text);
  }

  Works have_without_iut(const Testbed& bed, std::string& text) const override {
    if (arguments_.nulls != 0) return Works::Unknown;
    text = listen_directly(bed.library.provider, address(bed), port(bed));
    return text.empty() ? Works::Yes : Works::No;
  }

  int undo(const Testbed& bed, void** given) const override {
    return bed.library.iut.ep_shutdown(reinterpret_cast<rpma_ep**>(given));
  }

 private:
  [[nodiscard]] bool is_null(unsigned bit) const { return (arguments_.nulls & bit) != 0; }
  [[nodiscard]] const char* address(const Testbed& bed) const {
    return arguments_.address ? bed.other_address.c_str() : bed.target.address.c_str();
  }
  [[nodiscard]] const char* port(const Testbed& bed) const {
    return arguments_.port ? arguments_.port->c_str() : bed.port.c_str();
  }

  ListenArguments arguments_;
};

}  // namespace

std::shared_ptr<const Operation> listen_operation(const ListenArguments& arguments) {
  return std::make_shared<Listen>(arguments);
}

std::shared_ptr<const Operation> listen_operation_named(std::string_view variant) {
  ListenArguments arguments;
  while (!variant.empty()) {
    const std::string_view one = variant.substr(0, variant.find(','));
    variant.remove_prefix(std::min(variant.size(), one.size() + 1));
    const size_t equals = one.find('=');
    const std::string_view name = one.substr(0, equals);
    const std::string value = equals == std::string_view::npos ? "" : decoded(one.substr(equals + 1));
    bool known = false;
    for (const auto& [bit, argument] : kNullNames) {
      if (name != argument || value != "NULL") continue;
      arguments.nulls |= bit;
      known = true;
    }
    if (known) continue;
    if (name == "addr" && equals != std::string_view::npos)
      arguments.address = value;
    else if (name == "port" && equals != std::string_view::npos)
      arguments.port = value;
    else
      throw std::invalid_argument(
          fmt::format("unknown argument '{}' of rpma_ep_listen; give peer, addr, port or ep_ptr=NULL, "
                      "addr=TEXT, port=TEXT",
                      one));
  }
  return listen_operation(arguments);
}

}  // namespace conformance
